-- detachCommissionLine, as in server/src/commission_lines/store.rs.
BEGIN;
WITH found AS (
    SELECT id, payout_id, status
      FROM commission_lines
     WHERE organization_id = 'org_01BE' || lpad(:organization::text, 22, '0')
       AND id = 'cln_01BE' || lpad(:number::text, 22, '0')
       FOR UPDATE
), detached AS (
    UPDATE commission_lines AS line
       SET status = 'PENDING', payout_id = NULL,
           updated_at = greatest(service_now(), line.updated_at + interval '1 millisecond')
      FROM found
     WHERE line.organization_id = 'org_01BE' || lpad(:organization::text, 22, '0')
       AND line.id = found.id AND found.payout_id IS NOT NULL
    RETURNING line.organization_id, line.id, line.amount, found.payout_id AS former_payout_id
), lowered AS (
    UPDATE payouts AS payout
       SET amount = payout.amount - detached.amount,
           updated_at = greatest(service_now(), payout.updated_at + interval '1 millisecond')
      FROM detached
     WHERE payout.organization_id = 'org_01BE' || lpad(:organization::text, 22, '0')
       AND payout.id = detached.former_payout_id
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, before, after)
    SELECT detached.organization_id, 'key_01BE0000000000000000000000',
           'req_01BE0000000000000000000000', 'detach_commission_line', detached.id,
           jsonb_build_object('status', 'IN_PAYOUT', 'payoutId', detached.former_payout_id),
           jsonb_build_object('status', 'PENDING', 'payoutId', NULL)
      FROM detached
)
SELECT (SELECT status FROM found) AS status, EXISTS (SELECT FROM detached) AS detached;
SELECT id, partner_id, payout_id, description, amount, source_amount, currency, status, plan_name,
       period_end, idempotency_key, created_at, updated_at
  FROM commission_lines
 WHERE organization_id = 'org_01BE' || lpad(:organization::text, 22, '0')
   AND id = 'cln_01BE' || lpad(:number::text, 22, '0') \gset line_
COMMIT;
