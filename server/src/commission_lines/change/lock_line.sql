WITH line AS (
    SELECT id, partner_id, payout_id, status, amount, currency, description,
           source_amount, plan_name, period_end
      FROM commission_lines
     WHERE organization_id = $1 AND id = $2
       FOR UPDATE
)
SELECT line.id, line.partner_id, line.payout_id, line.status, line.amount,
       line.currency, line.description, line.source_amount, line.plan_name,
       line.period_end, payout.stage AS "stage?", payout.currency AS "payout_currency?"
  FROM line LEFT JOIN LATERAL (
       SELECT stage, currency
         FROM payouts
        WHERE organization_id = $1 AND id = line.payout_id
          FOR NO KEY UPDATE) AS payout ON true
