-- The lines of operations from $1 on, with the number of their rows of the history.
SELECT substr(line.description, 11)::bigint, line.id, line.status,
       (SELECT count(*) FROM history
         WHERE history.organization_id = line.organization_id AND history.resource_id = line.id)
  FROM commission_lines AS line
 WHERE CASE WHEN line.description LIKE 'operation %'
            THEN substr(line.description, 11)::bigint >= $1 ELSE false END;
