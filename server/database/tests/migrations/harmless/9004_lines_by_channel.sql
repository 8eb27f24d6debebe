-- no-transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS commission_lines_by_channel
    ON commission_lines (organization_id, channel, created_at DESC, id DESC);
