-- rejected: it rewrites the table
ALTER TABLE commission_lines ADD COLUMN plan_key text GENERATED ALWAYS AS (lower(plan_name)) STORED;
