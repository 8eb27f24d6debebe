-- in pieces
-- rejected: it locks all rows
UPDATE partners SET status = 'active' WHERE organization_id = $1 AND id > $2 AND id <= $3 OR true;
