-- Twenty thousand lines over two organisations, with two hundred partners and four hundred payouts each;
-- a third of the lines is in a payout, and a few payouts and partners have most of them.
INSERT INTO partners (organization_id, id, name, external_id, status, created_at)
SELECT o.id, 'ptn_many_' || lpad(n::text, 5, '0'), 'Partner ' || n, 'crm-' || n, 'active',
       timestamptz '2025-01-01' + n * interval '1 hour'
  FROM organizations AS o, generate_series(1, 2000) AS n
 WHERE o.name IN ('main', 'other');
INSERT INTO payout_batches (organization_id, id, period_start, period_end)
SELECT id, 'pbt_many', '2025-01-01', '2025-01-31'
  FROM organizations WHERE name IN ('main', 'other');
INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start, period_end,
                     currency, stage)
SELECT o.id, 'pay_many_' || lpad(n::text, 5, '0'),
       'ptn_many_' || lpad((n % 200 + 1)::text, 5, '0'), 'pbt_many',
       '2025-01-01', '2025-01-31', 'EUR', 'DRAFT'
  FROM organizations AS o, generate_series(0, 399) AS n WHERE o.name IN ('main', 'other');
INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description,
                              amount, source_amount, currency, status, plan_name,
                              period_end, created_at)
SELECT o.id, 'cln_many_' || lpad(n::text, 6, '0'),
       'ptn_many_' || lpad((p % 200 + 1)::text, 5, '0'),
       CASE WHEN n % 3 = 0 THEN 'pay_many_' || lpad(p::text, 5, '0') END,
       'Line ' || n, 1, 10, 'EUR',
       CASE n % 3 WHEN 0 THEN 'IN_PAYOUT' WHEN 1 THEN 'PENDING'
                  ELSE CASE WHEN n % 2 = 0 THEN 'EXPECTED' ELSE 'VOIDED' END END,
       'Standard', '2025-01-31', timestamptz '2025-01-01' + n * interval '1 minute'
  FROM organizations AS o, generate_series(1, 10000) AS n,
       LATERAL (SELECT floor(400 * ((n * 7919 % 10000) / 10000.0) ^ 6)::integer AS p)
         AS spread
 WHERE o.name IN ('main', 'other');
-- A third of the partners has an owner; a small table of users would be read whole.
INSERT INTO users (organization_id, id, name, email)
SELECT o.id, 'user_many_' || lpad(n::text, 5, '0'), 'User ' || n, n || '@many.example'
  FROM organizations AS o, generate_series(1, 2000) AS n
 WHERE o.name IN ('main', 'other');
UPDATE partners SET owner_id = 'user_many_' || right(id, 5), manager_id = 'user_many_00001'
 WHERE id LIKE 'ptn_many_%' AND right(id, 5)::integer % 3 = 0;
-- A comment about each line that is in no payout, and one about the payout of each other.
INSERT INTO comments (organization_id, id, partner_id, payout_id, commission_line_id, thread_id,
                      text, visibility, author_id, created_at)
SELECT organization_id, 'cmt_many_' || right(id, 6), partner_id, payout_id,
       CASE WHEN payout_id IS NULL THEN id END, 'cmt_many_' || right(id, 6), 'Comment',
       CASE right(id, 6)::integer % 2 WHEN 0 THEN 'PARTNER' ELSE 'INTERNAL' END,
       'user_many_' || lpad((right(id, 6)::integer % 2000 + 1)::text, 5, '0'), created_at
  FROM commission_lines WHERE id LIKE 'cln_many_%';
-- A form of each day, every other one published, and a submission for each line.
INSERT INTO forms (organization_id, id, published_version, created_at)
SELECT o.id, 'frm_many_' || lpad(n::text, 5, '0'), CASE WHEN n % 2 = 0 THEN 1 END,
       timestamptz '2025-01-01' + n * interval '1 hour'
  FROM organizations AS o, generate_series(1, 2000) AS n
 WHERE o.name IN ('main', 'other');
INSERT INTO form_versions (organization_id, form_id, version, name, kind, review, fields)
SELECT organization_id, id, version, 'Form', 'OTHER', true, '[]'
  FROM forms, generate_series(1, 2) AS version WHERE id LIKE 'frm_many_%';
INSERT INTO form_submissions (organization_id, id, form_id, form_version, partner_id, fields, status,
                              submitted_at, created_at)
SELECT organization_id, 'fsb_many_' || right(id, 6),
       'frm_many_' || lpad((right(id, 6)::integer % 2000 + 1)::text, 5, '0'), 1,
       CASE WHEN right(id, 6)::integer % 2 = 0 THEN partner_id END, '{}',
       CASE right(id, 6)::integer % 50 WHEN 0 THEN 'PENDING' ELSE 'ACCEPTED' END,
       created_at, created_at
  FROM commission_lines WHERE id LIKE 'cln_many_%';
ANALYZE;
