ALTER TABLE commission_lines ADD CONSTRAINT commission_lines_channel_fkey
    FOREIGN KEY (organization_id, channel) REFERENCES channels (organization_id, id) NOT VALID;
