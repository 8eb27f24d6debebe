-- rejected: it scans the table under ACCESS EXCLUSIVE
ALTER TABLE partners ALTER COLUMN domain SET NOT NULL;
