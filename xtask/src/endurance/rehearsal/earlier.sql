-- The number of all other lines than those of operations from $1 on.
SELECT count(*) FROM commission_lines
 WHERE CASE WHEN description LIKE 'operation %'
            THEN substr(description, 11)::bigint < $1 ELSE true END;
