ALTER TABLE commission_lines DROP CONSTRAINT commission_lines_channel_fkey;
ALTER TABLE commission_lines DROP COLUMN is_checked;
DROP TRIGGER commission_lines_channel ON commission_lines;
DROP FUNCTION keep_channel();
