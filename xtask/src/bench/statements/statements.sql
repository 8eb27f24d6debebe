-- Payouts with lines, and what their statements print: each organisation's own payout with {usual}
-- lines, and payouts of the first organisation for first calls, with {usual} and {long} lines.
-- Neither foreign keys nor triggers are needed, and they would take most of the time.
SET session_replication_role = replica;
INSERT INTO billing_information (organization_id, legal_name, address_line_1, postal_code, city,
                                 country, finance_email, vat_number)
SELECT id, 'Meridian Software GmbH', 'Am Sandtorkai 27', '20457', 'Hamburg', 'Germany',
       'finance@meridian.example', 'DE123456789'
  FROM organizations;
INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start, period_end, currency,
                     stage, po_number, metadata)
SELECT organization_id, 'pay_01BE' || lpad(number::text, 22, '0'), partner_id, batch_id,
       period_start, period_end, currency, stage, po_number, metadata
  FROM payouts, generate_series({organizations}, {payouts} - 1) AS number
 WHERE id = 'pay_01BE0000000000000000000000';
INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description, amount,
                              source_amount, currency, status, plan_name, period_end, created_at,
                              updated_at)
SELECT organization_id, 'cln_01BE' || lpad((payout * 10000 + line)::text, 22, '0'), partner_id, id,
       'Annual plan Kestrel Analytics premium, order ' || line || ' of this payout', 1234.50,
       12345.00, 'EUR', 'IN_PAYOUT', 'Reseller 2026', timestamptz '2026-04-28 23:59:59.999Z',
       moment, moment
  FROM (SELECT payouts.*, right(id, 22)::bigint AS payout FROM payouts) AS payouts,
       generate_series(1, CASE WHEN payout < {long_from} THEN {usual} ELSE {long} END) AS line,
       LATERAL (SELECT timestamptz '2026-04-20 09:00:00Z' + line * interval '1 second' AS moment)
               AS clock;
UPDATE payouts SET amount = 1234.50 * attached.lines, line_count = attached.lines
  FROM (SELECT organization_id, payout_id, count(*) AS lines FROM commission_lines
         GROUP BY organization_id, payout_id) AS attached
 WHERE payouts.organization_id = attached.organization_id AND id = payout_id;
