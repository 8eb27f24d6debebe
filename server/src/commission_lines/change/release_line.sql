WITH released AS (
    UPDATE commission_lines
       SET status = $4, payout_id = NULL,
           updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
     WHERE organization_id = $1 AND id = $2
    RETURNING *
), lowered AS (
    UPDATE payouts AS payout
       SET amount = payout.amount - released.amount,
           stage = CASE WHEN $5 AND payout.line_count = 1
                        THEN 'DECLINED' ELSE payout.stage END,
           updated_at = greatest(service_now(),
                                 payout.updated_at + interval '1 millisecond')
      FROM released
     WHERE payout.organization_id = $1 AND payout.id = $3
    RETURNING payout.id, payout.stage
), line_entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                         before, after)
    SELECT $1, $6, $7, $8, $2,
           jsonb_build_object('status', 'IN_PAYOUT', 'payoutId', $3::text),
           jsonb_build_object('status', status, 'payoutId', payout_id) || $9
      FROM released
), payout_entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                         before, after)
    SELECT $1, $6, $7, 'update_payout', lowered.id,
           jsonb_build_object('stage', $10::text),
           jsonb_build_object('stage', lowered.stage)
      FROM lowered WHERE lowered.stage <> $10
)
SELECT organization_id, id, partner_id, payout_id, description,
       amount AS "amount: crate::postgres::Amount",
       source_amount AS "source_amount: crate::postgres::Amount", currency, status, plan_name,
       period_end, idempotency_key, created_at, updated_at
  FROM released
