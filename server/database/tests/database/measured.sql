-- Four organisations with {payouts} payouts of ten lines each. Triggers and foreign keys are off meanwhile.
SET session_replication_role = replica;
INSERT INTO organizations (id, name) SELECT 'org_' || n, 'O' FROM generate_series(0, 3) n;
INSERT INTO meters (organization_id, requests_per_minute, requests_granted)
SELECT id, 60, 1 FROM organizations;
INSERT INTO partners (organization_id, id, name, domain, status)
SELECT 'org_' || n % 4, 'ptn_' || n, 'Partner', 'Example.test', 'active'
  FROM generate_series(0, {payouts} - 1) n;
INSERT INTO payout_batches (organization_id, id, period_start, period_end)
SELECT id, 'pbt_0', 'epoch', 'epoch' FROM organizations;
INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start,
                     period_end, amount, currency, stage, line_count)
SELECT 'org_' || n % 4, 'pay_' || n, 'ptn_' || n, 'pbt_0', 'epoch', 'epoch', 10, 'EUR',
       'DRAFT', 10
  FROM generate_series(0, {payouts} - 1) n;
INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description,
                              amount, source_amount, currency, status, plan_name,
                              period_end)
SELECT 'org_' || n % {payouts} % 4, 'cln_' || n, 'ptn_' || n % {payouts},
       'pay_' || n % {payouts}, 'Line', 1, 1, 'EUR', 'IN_PAYOUT', 'Plan', 'epoch'
  FROM generate_series(0, {lines} - 1) n;
ANALYZE;
