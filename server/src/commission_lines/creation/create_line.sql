WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_id', $1, true) AS organization_id
), partner AS (
    SELECT found.* FROM scope CROSS JOIN LATERAL (
        SELECT id FROM partners
         WHERE partners.organization_id = scope.organization_id AND partners.id = $3
         LIMIT 1) AS found
), payout AS (
    SELECT found.* FROM scope CROSS JOIN LATERAL (
        SELECT id FROM payouts
         WHERE payouts.organization_id = scope.organization_id AND payouts.id = $4
           AND partner_id = $3 AND currency = $8 AND stage = ANY($12)
           FOR NO KEY UPDATE) AS found
), created AS (
    INSERT INTO commission_lines
           (organization_id, id, partner_id, payout_id, description, amount,
            source_amount, currency, status, plan_name, period_end, idempotency_key)
    SELECT $1, $2, partner.id, payout.id, $5, $6, $7,
           $8, CASE WHEN payout.id IS NULL THEN 'PENDING' ELSE 'IN_PAYOUT' END, $9,
           coalesce($10, service_now()), $11
      FROM partner LEFT JOIN payout ON true
     WHERE $4::text IS NULL OR payout.id IS NOT NULL
        ON CONFLICT (organization_id, idempotency_key)
           WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING *
), raised AS (
    UPDATE payouts AS payout
       SET amount = payout.amount + created.amount,
           updated_at = greatest(service_now(),
                                 payout.updated_at + interval '1 millisecond')
      FROM created
     WHERE payout.organization_id = $1 AND payout.id = created.payout_id
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $13, $14, 'create_commission_line', created.id,
           jsonb_build_object(
               'partnerId', partner_id, 'payoutId', payout_id, 'status', status,
               'amount', amount::text, 'currency', currency, 'description', description,
               'sourceAmount', source_amount::text, 'planName', plan_name,
               'periodEnd', printed(period_end),
               'idempotencyKey', idempotency_key)
      FROM created
)
SELECT organization_id, id, partner_id, payout_id, description,
       amount AS "amount: crate::postgres::Amount",
       source_amount AS "source_amount: crate::postgres::Amount", currency, status, plan_name,
       period_end, idempotency_key, created_at, updated_at
  FROM created
