-- Lines of an organization that the load leaves alone: a migration may take longer on more rows.
-- Neither foreign keys nor triggers are needed.
SET session_replication_role = replica;
INSERT INTO commission_lines (organization_id, id, partner_id, description, amount, source_amount,
                              currency, status, plan_name, period_end)
SELECT organization.id, 'cln_01BE' || lpad(number::text, 22, '0'),
       'ptn_01BE0000000000000000000000', 'Annual plan, order ' || number, 1234.50, 12345.00, 'EUR',
       'PENDING', 'Reseller 2026', timestamptz '2026-04-28 23:59:59.999Z'
  FROM (SELECT max(id) AS id FROM organizations) AS organization,
       generate_series(1, {lines}) AS number;
ANALYZE commission_lines;
