-- rejected: it may rewrite or scan
ALTER TABLE partners ADD COLUMN token uuid DEFAULT gen_random_uuid();
