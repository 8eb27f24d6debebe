-- rejected: running servers know the old name
ALTER TABLE partners RENAME COLUMN name TO title;
