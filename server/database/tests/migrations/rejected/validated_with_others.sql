-- rejected: VALIDATE CONSTRAINT scans for long
ALTER TABLE partners ADD CONSTRAINT partners_note_check CHECK (name <> 'x') NOT VALID;
ALTER TABLE partners VALIDATE CONSTRAINT partners_note_check;
