-- no-transaction
-- rejected: has exactly one statement
CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON partners (organization_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS b ON partners (organization_id);
