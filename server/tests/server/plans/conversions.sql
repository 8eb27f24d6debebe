-- $LINES conversions of main and as many of the other organisation, each with its line. Of ten
-- lines eight became pending before; one is expected, and its hold is over, and one is in its hold.
INSERT INTO affiliate_links (organization_id, id, partner_id, code, target_url, plan_name, percent,
                             hold_days, window_days)
SELECT id, 'afl_many', 'ptn_many_00001', 'many-' || name, 'https://shop.example/', 'Referral',
       10, 30, 90
  FROM organizations WHERE name IN ('main', 'other');
INSERT INTO clicks (organization_id, id, link_id, created_at)
SELECT id, 'clk_many', 'afl_many', '2025-12-01'
  FROM organizations WHERE name IN ('main', 'other');
INSERT INTO commission_lines (organization_id, id, partner_id, description, amount, source_amount,
                              currency, status, plan_name, period_end, created_at)
SELECT o.id, 'cln_order_' || lpad(n::text, 8, '0'),
       'ptn_many_' || lpad((n % 200 + 1)::text, 5, '0'), 'Conversion ' || n, 1, 10, 'EUR',
       CASE WHEN n % 10 < 8 THEN 'PENDING' ELSE 'EXPECTED' END, 'Referral', '2026-01-31',
       timestamptz '2026-01-01' + n * interval '1 second'
  FROM organizations AS o, generate_series(1, $LINES) AS n WHERE o.name IN ('main', 'other');
INSERT INTO conversions (organization_id, id, click_id, partner_id, external_id, amount, currency,
                         occurred_at, matures_at, commission_line_id, created_at)
SELECT organization_id, 'cnv_' || right(id, 8), 'clk_many', partner_id, right(id, 8), 10, 'EUR',
       created_at, CASE WHEN right(id, 1) = '9' THEN timestamptz '2027-01-01'
                        ELSE created_at + interval '30 days' END,
       id, created_at
  FROM commission_lines WHERE starts_with(id, 'cln_order_');
ANALYZE;
