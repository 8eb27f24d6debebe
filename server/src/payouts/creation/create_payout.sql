WITH partner AS (
    SELECT id FROM partners WHERE organization_id = $1 AND id = $3
), own_batch AS (
    INSERT INTO payout_batches (organization_id, id, period_start, period_end)
    SELECT $1, $4, $6, $7 FROM partner WHERE $4::text IS NOT NULL
    RETURNING id, period_start, period_end
), attached AS (
    UPDATE commission_lines AS line
       SET status = 'IN_PAYOUT', payout_id = $2,
           updated_at = greatest(service_now(), line.updated_at + interval '1 millisecond')
      FROM partner
     WHERE $12 AND line.organization_id = $1 AND line.partner_id = partner.id
       AND line.currency = $8 AND line.status = 'PENDING' AND line.period_end <= $7
    RETURNING line.id, line.amount
), created AS (
    INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start,
                         period_end, amount, currency, stage, po_number, metadata)
    SELECT $1, $2, partner.id, coalesce($5, $4), $6,
           $7, (SELECT coalesce(sum(amount), 0) FROM attached), $8, $9, $10, $11
      FROM partner
    RETURNING amount, payouts AS payout
), lines_history AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                         before, after)
    SELECT $1, $13, $14, 'attach_commission_line', attached.id,
           jsonb_build_object('status', 'PENDING', 'payoutId', NULL),
           jsonb_build_object('status', 'IN_PAYOUT', 'payoutId', $2::text)
      FROM attached
), batch_history AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $13, $14, 'create_payout_batch', own_batch.id, jsonb_build_object(
               'periodStart', printed(period_start), 'periodEnd', printed(period_end),
               'payoutCount', 1, 'lineCount', (SELECT count(*) FROM attached))
      FROM own_batch
), payout_history AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $13, $14, 'create_payout', $2, created_payout(payout) FROM created
)
SELECT (SELECT count(*) FROM attached) AS "lines!", created.amount FROM created
