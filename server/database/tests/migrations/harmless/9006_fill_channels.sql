-- in pieces
INSERT INTO channels (organization_id, id)
SELECT DISTINCT organization_id, channel FROM commission_lines
 WHERE organization_id = $1 AND id > $2 AND id <= $3 AND (channel IS NOT NULL)
    ON CONFLICT DO NOTHING;
