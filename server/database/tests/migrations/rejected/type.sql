-- rejected: it may rewrite the table
ALTER TABLE partners ALTER COLUMN name TYPE varchar(10);
