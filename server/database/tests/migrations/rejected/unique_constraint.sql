-- rejected: it builds an index under ACCESS EXCLUSIVE
ALTER TABLE partners ADD CONSTRAINT partners_name_key UNIQUE (organization_id, name);
