WITH payout AS (
    SELECT id FROM payouts
     WHERE organization_id = $1 AND id = $3 AND partner_id = $4 AND currency = $5
       AND stage = ANY($6)
       FOR NO KEY UPDATE
), attached AS (
    UPDATE commission_lines AS line
       SET status = 'IN_PAYOUT', payout_id = payout.id,
           updated_at = greatest(service_now(), line.updated_at + interval '1 millisecond')
      FROM payout
     WHERE line.organization_id = $1 AND line.id = $2 AND line.status = 'PENDING'
    RETURNING line.*
), raised AS (
    UPDATE payouts AS payout
       SET amount = payout.amount + attached.amount,
           updated_at = greatest(service_now(),
                                 payout.updated_at + interval '1 millisecond')
      FROM attached
     WHERE payout.organization_id = $1 AND payout.id = $3
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                         before, after)
    SELECT $1, $7, $8, 'attach_commission_line', attached.id,
           jsonb_build_object('status', 'PENDING', 'payoutId', NULL),
           jsonb_build_object('status', status, 'payoutId', payout_id)
      FROM attached
)
SELECT organization_id, id, partner_id, payout_id, description,
       amount AS "amount: crate::postgres::Amount",
       source_amount AS "source_amount: crate::postgres::Amount", currency, status, plan_name,
       period_end, idempotency_key, created_at, updated_at
  FROM attached
