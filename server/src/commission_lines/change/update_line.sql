WITH updated AS (
    UPDATE commission_lines
       SET amount = $3, currency = $4, description = $5, source_amount = $6,
           plan_name = $7, period_end = $8,
           updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
     WHERE organization_id = $1 AND id = $2
    RETURNING *
), changed AS (
    UPDATE payouts AS payout
       SET amount = payout.amount + $9,
           updated_at = greatest(service_now(),
                                 payout.updated_at + interval '1 millisecond')
      FROM updated
     WHERE payout.organization_id = $1 AND payout.id = updated.payout_id
       AND $9::numeric <> 0
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                         before, after)
    SELECT $1, $10, $11, 'update_commission_line', updated.id, $12, $13 FROM updated
)
SELECT organization_id, id, partner_id, payout_id, description,
       amount AS "amount: crate::postgres::Amount",
       source_amount AS "source_amount: crate::postgres::Amount", currency, status, plan_name,
       period_end, idempotency_key, created_at, updated_at
  FROM updated
