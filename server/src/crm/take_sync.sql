-- $2: how many tries of the organisation may be under way, $3: seconds of a lease.
WITH next AS (
    SELECT id, status FROM crm_syncs AS sync
     WHERE organization_id = $1 AND due_at <= service_now()
       AND (SELECT count(*) FROM crm_syncs AS other
             WHERE other.organization_id = $1 AND other.status = 'RUNNING'
               AND other.in_flight AND other.due_at > service_now()) < $2
       AND (status = 'RUNNING'
            OR NOT EXISTS (
                SELECT FROM crm_syncs AS other
                 WHERE other.organization_id = $1 AND other.status = 'RUNNING'
                   AND other.object_type = sync.object_type
                   AND other.object_id = sync.object_id))
     ORDER BY due_at, id
     LIMIT 1
       FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE crm_syncs AS sync
       SET status = 'RUNNING', tries = tries + 1, in_flight = true,
           due_at = service_now() + make_interval(secs => $3)
      FROM next
     WHERE sync.organization_id = $1 AND sync.id = next.id
    RETURNING sync.id, object_type, object_id, request_id, tries, next.status = 'QUEUED' AS was_queued
)
SELECT taken.id, object_type, object_id, request_id, tries, was_queued AS "was_queued!",
       connection.id AS "connection_id?", base_url AS "base_url?",
       CASE object_type WHEN 'PARTNER' THEN partner_type ELSE company_type END AS crm_type,
       CASE object_type WHEN 'PARTNER' THEN partner_properties ELSE company_properties END
           AS properties,
       token_key, sealed_token
  FROM taken LEFT JOIN crm_connections AS connection
    ON organization_id = $1 AND sealed_token IS NOT NULL
