-- So many pending lines of so many partners of the first organisation, in place of earlier ones.
-- Neither foreign keys nor triggers are needed, and they would take most of the time.
SET session_replication_role = replica;
TRUNCATE history, comments, commission_lines CASCADE;
DELETE FROM payouts WHERE organization_id = 'org_01BE0000000000000000000000';
DELETE FROM payout_batches WHERE organization_id = 'org_01BE0000000000000000000000';
DELETE FROM partners WHERE organization_id = 'org_01BE0000000000000000000000';
INSERT INTO partners (organization_id, id, name, status)
SELECT 'org_01BE0000000000000000000000', 'ptn_01BE' || lpad(number::text, 22, '0'),
       'Nordlys Consulting', 'active'
  FROM generate_series(0, {partners} - 1) AS number;
INSERT INTO commission_lines (organization_id, id, partner_id, description, amount, source_amount,
                              currency, status, plan_name, period_end)
SELECT 'org_01BE0000000000000000000000', 'cln_01BE' || lpad(number::text, 22, '0'),
       'ptn_01BE' || lpad((number % {partners})::text, 22, '0'),
       'Annual plan Kestrel Analytics premium, order ' || number || ' of this partner', 1234.50,
       12345.00, 'EUR', 'PENDING', 'Reseller 2026', timestamptz '2026-04-28 23:59:59.999Z'
  FROM generate_series(0, {lines} - 1) AS number;
