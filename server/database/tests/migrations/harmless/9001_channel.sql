ALTER TABLE commission_lines ADD COLUMN channel text;
ALTER TABLE commission_lines ADD COLUMN is_checked boolean NOT NULL DEFAULT false;
ALTER TABLE commission_lines ADD CONSTRAINT commission_lines_channel_check CHECK (channel <> '') NOT VALID;
ALTER TABLE commission_lines ALTER COLUMN channel SET STATISTICS 500;
