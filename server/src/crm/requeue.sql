-- $2: how many tries of the organisation may be under way, $3: how many were taken from the queue.
-- A queued sync behind one that runs is due when that one ends, which writes this row too.
UPDATE crm_queue
   SET queued = queued - $3,
       running = open.running,
       oldest_queued_at = open.oldest_queued_at,
       due_at = CASE WHEN open.due_at IS NOT NULL
                     THEN greatest(open.due_at, rests_until, service_now()) END
  FROM (
      SELECT running, oldest_queued_at,
             CASE WHEN running >= $2 THEN lease_over_at
                  ELSE least(lease_over_at, pause_over_at, next_queued_at) END AS due_at
        FROM (SELECT count(*) FILTER (WHERE in_flight AND due_at > service_now()) AS running,
                     min(due_at) FILTER (WHERE in_flight) AS lease_over_at,
                     min(due_at) FILTER (WHERE NOT in_flight) AS pause_over_at
                FROM crm_syncs
               WHERE organization_id = $1 AND status = 'RUNNING') AS begun
       CROSS JOIN (
             SELECT (SELECT due_at FROM crm_syncs
                      WHERE organization_id = $1 AND status = 'QUEUED' AND due_at IS NOT NULL
                      ORDER BY due_at, id LIMIT 1) AS oldest_queued_at,
                    (SELECT due_at FROM crm_syncs AS sync
                      WHERE organization_id = $1 AND status = 'QUEUED' AND due_at IS NOT NULL
                        AND NOT EXISTS (
                            SELECT FROM crm_syncs AS other
                             WHERE other.organization_id = $1 AND other.status = 'RUNNING'
                               AND other.object_type = sync.object_type
                               AND other.object_id = sync.object_id)
                      ORDER BY due_at, id LIMIT 1) AS next_queued_at) AS waiting
  ) AS open
 WHERE crm_queue.organization_id = $1
