WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_id', $1, true) AS organization_id
)
INSERT INTO idempotent_requests AS kept
       (organization_id, operation, key, request_hash, value_hash, status, body)
SELECT organization_id, $2, $3, $4, $5, $6, $7 FROM scope
ON CONFLICT (organization_id, operation, key) DO UPDATE
   SET request_hash = excluded.request_hash, value_hash = excluded.value_hash,
       status = excluded.status, body = excluded.body,
       created_at = excluded.created_at
 WHERE kept.created_at <= service_now() - make_interval(hours => $8)
