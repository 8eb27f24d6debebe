-- So many lines, each attached to the payout of its organisation, in place of earlier ones.
-- Neither foreign keys nor triggers are needed, and they would take most of the time.
SET session_replication_role = replica;
TRUNCATE comments, commission_lines CASCADE;
INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description, amount,
                              source_amount, currency, status, plan_name, period_end)
SELECT 'org_01BE' || lpad((number % {organizations})::text, 22, '0'),
       'cln_01BE' || lpad(number::text, 22, '0'), 'ptn_01BE0000000000000000000000',
       'pay_01BE' || lpad((number % {organizations})::text, 22, '0'),
       'Annual plan Kestrel Analytics premium, order ' || number || ' of this payout', 1234.50,
       12345.00, 'EUR', 'IN_PAYOUT', 'Reseller 2026', timestamptz '2026-04-28 23:59:59.999Z'
  FROM generate_series(0, {requests} - 1) AS number;
UPDATE payouts SET amount = 1234.50 * {requests} / {organizations},
                   line_count = {requests} / {organizations} + 1;
ANALYZE commission_lines;
