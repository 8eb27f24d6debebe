-- rejected: it locks several tables
ALTER TABLE partners ADD COLUMN note text;
ALTER TABLE payouts ADD COLUMN note text;
