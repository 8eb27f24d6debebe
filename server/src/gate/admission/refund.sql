WITH refunds AS MATERIALIZED (
    SELECT organization_id, month, sum(credits)::bigint AS credits
      FROM unnest($1::text[], $2::timestamptz[], $3::bigint[])
           AS refund (organization_id, month, credits)
     GROUP BY organization_id, month ORDER BY organization_id
)
UPDATE meters AS m
   SET month_used = greatest(m.month_used - refunds.credits, 0), credits_granted = 0
  FROM refunds
 WHERE m.organization_id = refunds.organization_id AND m.month = refunds.month
