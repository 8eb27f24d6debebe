INSERT INTO experience_templates (organization_id, id, name)
SELECT id, 'tmpl_01BE0000000000000000000000', 'Standard' FROM organizations;
UPDATE partners SET experience_template_id = 'tmpl_01BE0000000000000000000000';
INSERT INTO portal_users (organization_id, partner_id, email)
SELECT organization_id, id, 'jo@bench.example' FROM partners;
UPDATE payouts SET stage = 'APPROVED';
INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description, amount, source_amount, currency, status,
                              plan_name, period_end)
SELECT organization_id, 'cln_portal_' || number, partner_id, id, 'Commission on order ' || number, 10, 100, currency, 'IN_PAYOUT',
       'Standard 10 %', period_end
  FROM payouts, generate_series(1, 100) AS number WHERE id = 'pay_01BE0000000000000000000000';
INSERT INTO comments (organization_id, id, partner_id, payout_id, thread_id, text, visibility)
SELECT organization_id, 'cmt_portal', partner_id, id, 'cmt_portal', 'The invoice has arrived.', 'PARTNER'
  FROM payouts WHERE id = 'pay_01BE0000000000000000000000';
INSERT INTO portal_sessions (organization_id, id, partner_id, email, link_hash, link_expires_at, cookie_hash, opened_at,
                             expires_at)
SELECT organization_id, 'pse_01BE0000000000000000000000', id, 'jo@bench.example', sha256(''), now(),
       sha256(decode(repeat('00', 32), 'hex')), now(), '2100-01-01'
  FROM partners WHERE id = 'ptn_01BE0000000000000000000000';
