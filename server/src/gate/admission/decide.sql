WITH moment AS MATERIALIZED (
    SELECT now, date_trunc('minute', now, 'UTC') AS minute,
           date_trunc('month', now, 'UTC') AS month
      FROM (SELECT service_now() AS now) AS clock
), entry AS MATERIALIZED (
    SELECT request.position, request.requests, moment.now, moment.minute, moment.month,
           key.organization_id, key.id, key.api_version, key.expires_at, key.revoked_at,
           key.stopped_at IS NOT NULL AS is_stopped, key.moved_to,
           request.scope = ANY (key.scopes) AS in_scope,
           request.scope = ANY (key.scopes) AND request.is_well_formed AS is_metered,
           key.revoked_at IS NULL AND key.expires_at > moment.now
               AND key.stopped_at IS NULL AS is_valid
      FROM moment,
           unnest($1::bytea[], $2::text[], $3::boolean[], $4::integer[]) WITH ORDINALITY
           AS request (hash, scope, is_well_formed, requests, position)
     CROSS JOIN LATERAL (SELECT * FROM api_keys WHERE hash = request.hash OFFSET 0) AS key
), wanted AS MATERIALIZED (
    SELECT organization_id, minute, month, sum(requests)::integer AS requests,
           coalesce(sum(requests) FILTER (WHERE is_metered), 0)::integer AS credits
      FROM entry WHERE is_valid
     GROUP BY organization_id, minute, month ORDER BY organization_id
), spent AS (
    UPDATE meters AS m
       SET (minute, minute_used, requests_granted, month, month_used, credits_granted)
           = (SELECT greatest(m.minute, wanted.minute),
                     before.requests + granted.requests, granted.requests,
                     greatest(m.month, wanted.month),
                     before.credits + charged.credits, charged.credits
                FROM (SELECT CASE WHEN m.minute >= wanted.minute
                                  THEN m.minute_used ELSE 0 END AS requests,
                             CASE WHEN m.month >= wanted.month
                                  THEN m.month_used ELSE 0 END AS credits) AS before,
                     LATERAL (SELECT least(wanted.requests,
                                           m.requests_per_minute - before.requests)
                                  AS requests) AS granted,
                     -- No limit is NULL, which least ignores: unlimited.
                     LATERAL (SELECT greatest(least(wanted.credits, granted.requests,
                                              m.credits_per_month - before.credits), 0)
                                  AS credits) AS charged)
      FROM wanted
     WHERE m.organization_id = wanted.organization_id
       AND m.requests_per_minute
           > CASE WHEN m.minute >= wanted.minute THEN m.minute_used ELSE 0 END
       AND greatest(m.minute, m.month) <= wanted.minute + interval '1 minute'
    RETURNING m.organization_id, m.requests_per_minute, m.credits_per_month, m.minute,
              m.minute_used, m.requests_granted, m.month, m.month_used, m.credits_granted
)
SELECT entry.position AS "position!", entry.now AS "now!",
       entry.organization_id AS "organization_id!: OrganizationId", entry.id AS "key_id!",
       entry.api_version AS "api_version!", entry.expires_at AS "expires_at!",
       entry.revoked_at, entry.is_stopped AS "is_stopped!", entry.moved_to,
       entry.in_scope AS "in_scope!",
       coalesce(spent.requests_per_minute, seen.requests_per_minute)
       AS requests_per_minute,
       coalesce(spent.minute, seen.minute) AS minute,
       coalesce(spent.minute_used, seen.minute_used) AS minute_used,
       coalesce(spent.month, seen.month) AS month,
       spent.requests_granted AS "requests_granted?", spent.credits_per_month,
       spent.month_used AS "month_used?", spent.credits_granted AS "credits_granted?"
  FROM entry
  LEFT JOIN spent ON spent.organization_id = entry.organization_id
  LEFT JOIN LATERAL (SELECT minute, minute_used, month, requests_per_minute
                       FROM meters AS m
                      WHERE spent.organization_id IS NULL
                        AND m.organization_id = entry.organization_id
                     OFFSET 0) AS seen ON true
