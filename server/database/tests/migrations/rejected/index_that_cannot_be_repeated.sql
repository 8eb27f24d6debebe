-- no-transaction
-- rejected: it blocks writes
CREATE INDEX CONCURRENTLY a ON partners (organization_id);
