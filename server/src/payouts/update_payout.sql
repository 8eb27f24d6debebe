WITH updated AS (
    UPDATE payouts
       SET stage = $3, po_number = $4, metadata = $5,
           updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
     WHERE organization_id = $1 AND id = $2
    RETURNING *
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id,
                         before, after)
    SELECT $1, $6, $7, $8, updated.id, $9, $10 FROM updated
)
SELECT payouts.organization_id, payouts.id, payouts.partner_id, partners.name AS partner_name,
       payouts.batch_id, payouts.period_start, payouts.period_end,
       payouts.amount AS "amount: crate::postgres::Amount", payouts.currency, payouts.stage,
       payouts.po_number, payouts.metadata, payouts.created_at, payouts.updated_at
  FROM updated AS payouts
 CROSS JOIN LATERAL (SELECT name FROM partners
                      WHERE partners.organization_id = payouts.organization_id
                        AND partners.id = payouts.partner_id
                     OFFSET 0) AS partners
