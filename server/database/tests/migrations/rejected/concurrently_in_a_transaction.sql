-- rejected: alone in a file
CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON partners (organization_id);
