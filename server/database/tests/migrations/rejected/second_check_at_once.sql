-- rejected: it scans the table while writes wait
ALTER TABLE partners ADD CONSTRAINT a CHECK (name <> 'x'), ADD CONSTRAINT b CHECK (name <> 'y') NOT VALID;
