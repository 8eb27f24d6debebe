WITH moment AS MATERIALIZED (
    SELECT service_now() AS now,
           coalesce($8, service_now() - interval '1 day') AS expired_at,
           coalesce($10, service_now() - interval '1 day') AS revoked_at
), lifetime AS (
    SELECT CASE WHEN $7 THEN expired_at WHEN $9 THEN revoked_at + interval '30 days'
                ELSE now + make_interval(days => $11) END AS expires_at,
           CASE WHEN $9 THEN revoked_at END AS revoked_at,
           CASE WHEN $7 THEN expired_at - make_interval(days => $12)
                WHEN $9 THEN revoked_at + interval '30 days' - make_interval(days => $12)
                ELSE now END AS created_at
      FROM moment
)
INSERT INTO api_keys (organization_id, id, name, hash, last_four, scopes, api_version,
                      created_at, expires_at, revoked_at)
SELECT $1, $2, $3, $4, $5, $6, $13, created_at, expires_at, revoked_at FROM lifetime
RETURNING expires_at
