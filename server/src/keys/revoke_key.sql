WITH before AS (
    SELECT revoked_at FROM api_keys WHERE organization_id = $1 AND id = $2 FOR UPDATE
)
UPDATE api_keys SET revoked_at = coalesce(before.revoked_at, service_now())
  FROM before
 WHERE organization_id = $1 AND id = $2
RETURNING api_keys.revoked_at AS "revoked_at!",
          before.revoked_at IS NOT NULL AS "was_revoked!"
