INSERT INTO affiliate_links (organization_id, id, partner_id, code, target_url, plan_name, percent, hold_days, window_days)
SELECT organization_id, 'afl_bench', id, 'bench-link', 'https://shop.example/offer', 'Referral 10 %', 10, 30, 90
  FROM partners WHERE organization_id = 'org_01BE0000000000000000000000' LIMIT 1;
INSERT INTO affiliate_codes (organization_id, code, link_id)
SELECT organization_id, code, id FROM affiliate_links;
