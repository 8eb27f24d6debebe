WITH batch AS (
    INSERT INTO payout_batches (organization_id, id, period_start, period_end)
    VALUES ($1, $2, $3, $4)
    RETURNING period_start, period_end
), attached AS (
    UPDATE commission_lines AS line
       SET status = 'IN_PAYOUT',
           payout_id = $5 || upper(lpad(to_hex(hashtextextended(
               $2 || ' ' || line.partner_id || ' ' || line.currency, 0)), 16, '0')),
           updated_at = greatest(service_now(), line.updated_at + interval '1 millisecond')
     WHERE $6 AND line.organization_id = $1 AND line.status = 'PENDING'
       AND line.period_end <= $4
    RETURNING line.id, line.partner_id, line.amount, line.currency, line.payout_id
), sums AS (
    SELECT payout_id, partner_id, currency, sum(amount) AS amount, count(*) AS lines
      FROM attached GROUP BY payout_id, partner_id, currency
), created AS (
    INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start,
                         period_end, amount, currency, stage)
    SELECT $1, payout_id, partner_id, $2, $3, $4, amount, currency, 'DRAFT' FROM sums
    RETURNING id, payouts AS payout
), counts AS (
    SELECT count(*) AS payouts, coalesce(sum(lines), 0)::bigint AS lines FROM sums
)
INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                     before, after)
SELECT $1, $7, $8, 'attach_commission_line', id,
       jsonb_build_object('status', 'PENDING', 'payoutId', NULL),
       jsonb_build_object('status', 'IN_PAYOUT', 'payoutId', payout_id)
  FROM attached
UNION ALL
SELECT $1, $7, $8, 'create_payout', id, NULL, created_payout(payout) FROM created
UNION ALL
SELECT $1, $7, $8, 'create_payout_batch', $2, NULL, jsonb_build_object(
           'periodStart', printed(period_start), 'periodEnd', printed(period_end),
           'payoutCount', payouts, 'lineCount', lines)
  FROM batch, counts
