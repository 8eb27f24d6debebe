-- Batches: requests of several organisations are admitted, and read, by one statement.

-- What the latest update took from the minute, beside `credits_granted`: a batch may get less than it asked for.
ALTER TABLE meters ADD COLUMN requests_granted integer NOT NULL DEFAULT 0 CHECK (requests_granted >= 0);

-- The organisations that a batch reads for; none outside a batch's transaction.
CREATE FUNCTION current_organizations() RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN string_to_array(nullif(current_setting('app.organization_ids', true), ''), ',');

-- Beside the policy `tenant`, on what batches read alone, and for reading alone. The sub-select is computed once a statement
-- and looked up by hash: with `= ANY` the list would be taken apart again for every row.
DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['partners', 'payouts', 'users']
    LOOP
        EXECUTE format('CREATE POLICY batch ON %I FOR SELECT '
                       'USING (organization_id IN (SELECT unnest(current_organizations())))', tenant_table);
    END LOOP;
END $$;
