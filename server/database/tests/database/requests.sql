SELECT name FROM partners WHERE organization_id = $1 AND id = 'ptn_' || $2::bigint;
UPDATE partners SET updated_at = service_now()
  WHERE organization_id = $1 AND id = 'ptn_' || $2::bigint;
SELECT amount FROM payouts WHERE organization_id = $1 AND id = 'pay_' || $2::bigint;
UPDATE commission_lines SET description = description || '.'
  WHERE organization_id = $1 AND id = 'cln_' || $2::bigint;
SELECT id FROM commission_lines WHERE organization_id = $1 AND $2::bigint >= 0
  ORDER BY created_at DESC, id DESC LIMIT 100;
INSERT INTO commission_lines (organization_id, id, partner_id, description, amount,
                              source_amount, currency, status, plan_name, period_end)
VALUES ($1, 'cln_' || gen_random_uuid(), 'ptn_' || $2::bigint, 'New', 1, 1, 'EUR', 'PENDING',
        'Plan', 'epoch');
UPDATE payouts SET updated_at = service_now()
  WHERE organization_id = $1 AND id = 'pay_' || $2::bigint;
