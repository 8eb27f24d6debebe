-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS partners_by_company
    ON partners (organization_id, external_company_id) WHERE external_company_id IS NOT NULL;
