-- table by table
-- rejected: one file for each other statement
ALTER TABLE partners ADD COLUMN note text;
ALTER TABLE payouts ADD COLUMN note text;
