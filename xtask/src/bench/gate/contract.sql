-- The whole contract in one durable statement, for pgbench, as
-- server/src/gate/admission/store.rs does it for a batch. It returns every column of a response.
WITH moment AS MATERIALIZED (
    SELECT now, date_trunc('minute', now, 'UTC') AS minute,
           date_trunc('month', now, 'UTC') AS month
      FROM (SELECT service_now() AS now) AS clock
), key AS MATERIALIZED (
    SELECT organization_id, id, expires_at, revoked_at,
           E'commissions\072read' = ANY (scopes) AS in_scope
      FROM api_keys WHERE hash = sha256(('bench' || :organization::text)::bytea)
), spent AS (
    UPDATE meters AS m
       SET minute = greatest(m.minute, moment.minute),
           minute_used = CASE WHEN m.minute >= moment.minute THEN m.minute_used ELSE 0 END + 1,
           month = greatest(m.month, moment.month),
           month_used = CASE WHEN m.month >= moment.month THEN m.month_used ELSE 0 END
               + CASE WHEN key.in_scope AND (m.credits_per_month IS NULL OR m.credits_per_month
                      > CASE WHEN m.month >= moment.month THEN m.month_used ELSE 0 END)
                      THEN 1 ELSE 0 END,
           credits_granted = CASE WHEN key.in_scope
                  AND (m.credits_per_month IS NULL OR m.credits_per_month
                      > CASE WHEN m.month >= moment.month THEN m.month_used ELSE 0 END)
                  THEN 1 ELSE 0 END
      FROM key, moment
     WHERE m.organization_id = key.organization_id
       AND key.revoked_at IS NULL AND key.expires_at > moment.now
       AND m.requests_per_minute
           > CASE WHEN m.minute >= moment.minute THEN m.minute_used ELSE 0 END
    RETURNING m.requests_per_minute, m.credits_per_month, m.minute_used, m.month, m.month_used,
              m.credits_granted
)
SELECT payouts.id, payouts.partner_id, partners.name, payouts.batch_id, payouts.period_start,
       payouts.period_end, payouts.amount, payouts.currency, payouts.stage, payouts.po_number,
       payouts.metadata, payouts.created_at, payouts.updated_at, moment.now, moment.minute,
       key.organization_id, key.id, key.expires_at, key.revoked_at, key.in_scope, seen.minute,
       seen.minute_used, seen.requests_per_minute, spent.requests_per_minute,
       spent.credits_per_month, spent.minute_used, spent.month, spent.month_used,
       spent.credits_granted
  FROM moment
  LEFT JOIN key ON true
  LEFT JOIN spent ON true
  LEFT JOIN meters AS seen ON seen.organization_id = key.organization_id
  LEFT JOIN payouts ON payouts.organization_id = key.organization_id
                   AND payouts.id = 'pay_01BE' || lpad(:organization::text, 22, '0')
  LEFT JOIN partners ON partners.organization_id = payouts.organization_id
                    AND partners.id = payouts.partner_id
