-- The key check and the read alone, for pgbench. It returns every column of a response.
-- pgbench reads a colon as the beginning of a variable, even in a string: hence \072.
SELECT payouts.id, payouts.partner_id, partners.name, payouts.batch_id, payouts.period_start,
       payouts.period_end, payouts.amount, payouts.currency, payouts.stage, payouts.po_number,
       payouts.metadata, payouts.created_at, payouts.updated_at, key.organization_id,
       key.id, key.expires_at, E'commissions\072read' = ANY (key.scopes)
  FROM api_keys AS key
  JOIN payouts ON payouts.organization_id = key.organization_id
              AND payouts.id = 'pay_01BE' || lpad(:organization::text, 22, '0')
  JOIN partners ON partners.organization_id = payouts.organization_id
               AND partners.id = payouts.partner_id
 WHERE key.hash = sha256(('bench' || :organization::text)::bytea)
   AND key.revoked_at IS NULL AND key.expires_at > service_now()
