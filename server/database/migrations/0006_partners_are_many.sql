-- PostgreSQL shall expect a hundred partners in each organisation, however few most have. If it expects one, the key and the index
-- by age cost the same to it, and it may look for one partner of a large organisation among all of them.

ALTER TABLE partners ALTER COLUMN organization_id SET (n_distinct = -0.01);
