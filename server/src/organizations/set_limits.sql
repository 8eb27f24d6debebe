WITH before AS (
    SELECT requests_per_minute, credits_per_month
      FROM meters
     WHERE organization_id = $1
       FOR UPDATE
)
UPDATE meters
   SET requests_per_minute = coalesce($2, before.requests_per_minute),
       credits_per_month = CASE WHEN $3 THEN $4 ELSE before.credits_per_month END
  FROM before
 WHERE organization_id = $1
RETURNING before.requests_per_minute AS "requests_before!",
          before.credits_per_month AS credits_before,
          meters.requests_per_minute, meters.credits_per_month
