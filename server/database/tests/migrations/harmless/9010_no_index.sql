-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS commission_lines_by_channel;
