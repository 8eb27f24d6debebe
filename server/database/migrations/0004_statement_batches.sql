-- Whether a payout has a current statement is read in batches as well.

-- As in 0003_batches.sql.
DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['assets', 'current_statements']
    LOOP
        EXECUTE format('CREATE POLICY batch ON %I FOR SELECT '
                       'USING (organization_id IN (SELECT unnest(current_organizations())))', tenant_table);
    END LOOP;
END $$;
