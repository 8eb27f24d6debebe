WITH conversion AS (
    INSERT INTO conversions
           (organization_id, id, click_id, partner_id, external_id, amount, currency, email,
            properties, occurred_at, matures_at, commission_line_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ON CONFLICT DO NOTHING
    RETURNING *
), line AS (
    INSERT INTO commission_lines
           (organization_id, id, partner_id, description, amount, source_amount, currency, status,
            plan_name, period_end)
    SELECT $1, commission_line_id, partner_id, $15, $13, $18, $14, 'EXPECTED', $17, $16
      FROM conversion WHERE commission_line_id IS NOT NULL
    RETURNING *
), conversion_entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $19, $20, 'create_conversion', id,
           jsonb_build_object(
               'clickId', click_id, 'externalId', external_id, 'amount', amount::text,
               'currency', currency, 'occurredAt', printed(occurred_at),
               'commissionLineId', commission_line_id)
      FROM conversion
), line_entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $19, $20, 'create_commission_line', id,
           jsonb_build_object(
               'partnerId', partner_id, 'payoutId', payout_id, 'status', status,
               'amount', amount::text, 'currency', currency, 'description', description,
               'sourceAmount', source_amount::text, 'planName', plan_name,
               'periodEnd', printed(period_end), 'idempotencyKey', idempotency_key)
      FROM line
)
SELECT id, click_id, partner_id, commission_line_id, external_id, amount, currency, occurred_at,
       created_at, reversed_at
  FROM conversion
