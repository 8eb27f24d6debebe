WITH expected AS MATERIALIZED (
    SELECT id, created_at FROM commission_lines
     WHERE organization_id = $1 AND status = 'EXPECTED' AND (created_at, id) > ($2, $3)
     ORDER BY created_at, id
     LIMIT $4
), due AS MATERIALIZED (
    -- OFFSET 0 keeps this a look-up for each line, however many conversions there are.
    SELECT expected.id
      FROM expected CROSS JOIN LATERAL (
           SELECT FROM conversions
            WHERE organization_id = $1 AND commission_line_id = expected.id
              AND matures_at <= service_now()
           OFFSET 0) AS conversion
), locked AS MATERIALIZED (
    SELECT line.id
      FROM due CROSS JOIN LATERAL (
           SELECT id FROM commission_lines
            WHERE organization_id = $1 AND id = due.id AND status = 'EXPECTED'
              FOR NO KEY UPDATE) AS line
), matured AS (
    UPDATE commission_lines
       SET status = 'PENDING',
           updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
     WHERE organization_id = $1 AND id = ANY (ARRAY(SELECT id FROM locked))
    RETURNING id
), entries AS (
    INSERT INTO history (organization_id, actor, action, resource_id, before, after)
    SELECT $1, $5, 'mature_commission_line', id,
           jsonb_build_object('status', 'EXPECTED'), jsonb_build_object('status', 'PENDING')
      FROM matured
)
SELECT (SELECT count(*) FROM matured) AS "matured!", last.created_at AS "last_created_at?",
       last.id AS "last_id?"
  FROM (SELECT) AS always
  LEFT JOIN (SELECT created_at, id FROM expected ORDER BY created_at DESC, id DESC LIMIT 1) AS last
         ON true
