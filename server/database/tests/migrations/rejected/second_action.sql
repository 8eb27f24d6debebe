-- rejected: it scans the table under ACCESS EXCLUSIVE
ALTER TABLE partners ADD COLUMN note text, ALTER COLUMN domain SET NOT NULL;
