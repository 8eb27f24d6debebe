-- in pieces
UPDATE commission_lines SET channel = 'direct'
 WHERE organization_id = $1 AND id > $2 AND id <= $3 AND channel IS NULL;
