WITH due AS MATERIALIZED (
    SELECT line.id, line.created_at
      FROM commission_lines AS line
      JOIN conversions AS conversion
        ON conversion.organization_id = $1 AND conversion.commission_line_id = line.id
     WHERE line.organization_id = $1 AND line.status = 'EXPECTED'
       AND (line.created_at, line.id) > ($2, $3)
       AND conversion.matures_at <= service_now()
     ORDER BY line.created_at, line.id
     LIMIT $4
), locked AS MATERIALIZED (
    SELECT id FROM commission_lines
     WHERE organization_id = $1 AND id IN (SELECT id FROM due) AND status = 'EXPECTED'
     ORDER BY created_at, id
       FOR NO KEY UPDATE
), matured AS (
    UPDATE commission_lines AS line
       SET status = 'PENDING',
           updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
      FROM locked
     WHERE line.organization_id = $1 AND line.id = locked.id
    RETURNING line.id
), entries AS (
    INSERT INTO history (organization_id, actor, action, resource_id, before, after)
    SELECT $1, $5, 'mature_commission_line', id,
           jsonb_build_object('status', 'EXPECTED'), jsonb_build_object('status', 'PENDING')
      FROM matured
)
SELECT (SELECT count(*) FROM matured) AS "matured!", last.created_at AS "last_created_at?",
       last.id AS "last_id?"
  FROM (SELECT) AS always
  LEFT JOIN (SELECT created_at, id FROM due ORDER BY created_at DESC, id DESC LIMIT 1) AS last
         ON true
