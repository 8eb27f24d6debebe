WITH wanted AS MATERIALIZED (
    SELECT key.*, moment.now, date_trunc('minute', moment.now, 'UTC') AS minute,
           date_trunc('month', moment.now, 'UTC') AS month,
           (key.in_scope AND $3)::integer AS credits
      FROM (SELECT service_now() AS now OFFSET 0) AS moment,
           (SELECT id, organization_id, api_version, expires_at, $2 = ANY (scopes) AS in_scope
              FROM api_keys WHERE hash = $1 AND revoked_at IS NULL AND stopped_at IS NULL
             OFFSET 0) AS key
     WHERE key.expires_at > moment.now
)
UPDATE meters AS m
   SET minute = greatest(m.minute, wanted.minute),
       minute_used = 1 + CASE WHEN m.minute >= wanted.minute THEN m.minute_used ELSE 0 END,
       month = greatest(m.month, wanted.month),
       month_used = wanted.credits + CASE WHEN m.month >= wanted.month
                                          THEN m.month_used ELSE 0 END
  FROM wanted
 WHERE m.organization_id = wanted.organization_id
   AND greatest(m.minute, m.month) <= wanted.minute + interval '1 minute'
   AND m.requests_per_minute > CASE WHEN m.minute >= wanted.minute THEN m.minute_used ELSE 0 END
   AND coalesce(m.credits_per_month >= wanted.credits + CASE WHEN m.month >= wanted.month
                                                             THEN m.month_used ELSE 0 END, true)
RETURNING 1::bigint AS "position!", wanted.now AS "now!",
          wanted.organization_id AS "organization_id!: OrganizationId", wanted.id AS "key_id!",
          wanted.api_version AS "api_version!", wanted.expires_at AS "expires_at!",
          NULL::timestamptz AS revoked_at, false AS "is_stopped!",
          NULL::text AS moved_to, wanted.in_scope AS "in_scope!",
          m.requests_per_minute AS "requests_per_minute?", m.minute AS "minute?",
          m.minute_used AS "minute_used?", m.month AS "month?", 1 AS "requests_granted?",
          m.credits_per_month, m.month_used AS "month_used?", wanted.credits AS "credits_granted?"
