-- rejected: it may rewrite or scan
ALTER TABLE partners ADD COLUMN note text NOT NULL;
