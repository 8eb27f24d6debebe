-- rejected: it scans the table while writes wait
ALTER TABLE payouts ADD CONSTRAINT payouts_x_fkey FOREIGN KEY (organization_id, id) REFERENCES assets (organization_id, id);
