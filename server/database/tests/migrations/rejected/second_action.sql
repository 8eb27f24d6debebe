-- rejected: it has several actions
ALTER TABLE partners ADD COLUMN note text, ALTER COLUMN domain SET NOT NULL;
