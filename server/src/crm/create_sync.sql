WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_id', $1, true) AS organization_id
), connected AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM crm_connections
                    WHERE organization_id = scope.organization_id AND sealed_token IS NOT NULL)
               AS is_connected
      FROM scope
), queued AS (
    -- One that is queued already is locked until this is committed, so that no worker takes it up
    -- before: it then reads what the CRM has after this request.
    INSERT INTO crm_syncs AS sync
           (organization_id, id, object_type, object_id, actor, request_id, due_at)
    SELECT $1, $2, $3, $4, $5, $6, service_now() FROM connected WHERE is_connected
    ON CONFLICT (organization_id, object_type, object_id) WHERE status = 'QUEUED'
    DO UPDATE SET status = sync.status
    RETURNING id, created_at
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $5, $6, 'sync_crm_object', id,
           jsonb_build_object('objectType', $3, 'objectId', $4)
      FROM queued WHERE id = $2
), due AS (
    INSERT INTO crm_queue AS queue (organization_id, due_at, queued, oldest_queued_at)
    SELECT $1, service_now(), 1, service_now() FROM queued WHERE id = $2
    ON CONFLICT (organization_id) DO UPDATE
       SET due_at = least(queue.due_at, greatest(excluded.due_at, queue.rests_until)),
           queued = queue.queued + 1,
           oldest_queued_at = coalesce(queue.oldest_queued_at, excluded.oldest_queued_at)
)
SELECT is_connected AS "is_connected!", id AS "id?", created_at AS "created_at?"
  FROM connected LEFT JOIN queued ON true
