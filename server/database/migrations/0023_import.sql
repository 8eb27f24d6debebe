-- Counters come with the rows of an organisation that is imported, so nothing is counted then.

CREATE FUNCTION is_importing() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(current_setting('app.importing', true), '') = 'on';

CREATE OR REPLACE FUNCTION raise_statement_revision_of_organization() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF is_importing() THEN
        RETURN NULL;
    END IF;
    UPDATE organizations SET statement_revision = statement_revision + 1
     WHERE id = NEW.organization_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION raise_statement_revision_of_lines() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF is_importing() THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        UPDATE payouts SET statement_revision = statement_revision + 1
          FROM (SELECT DISTINCT organization_id, payout_id FROM after
                 WHERE payout_id IS NOT NULL) AS touched
         WHERE payouts.organization_id = touched.organization_id
           AND payouts.id = touched.payout_id;
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE payouts SET statement_revision = statement_revision + 1
          FROM (SELECT DISTINCT organization_id, payout_id FROM before
                 WHERE payout_id IS NOT NULL) AS touched
         WHERE payouts.organization_id = touched.organization_id
           AND payouts.id = touched.payout_id;
    ELSE
        UPDATE payouts SET statement_revision = statement_revision + 1
          FROM (SELECT organization_id, payout_id
                  FROM ((SELECT organization_id, payout_id, id, description, amount, source_amount,
                                currency, plan_name, period_end, created_at FROM before
                         EXCEPT
                         SELECT organization_id, payout_id, id, description, amount, source_amount,
                                currency, plan_name, period_end, created_at FROM after)
                        UNION ALL
                        (SELECT organization_id, payout_id, id, description, amount, source_amount,
                                currency, plan_name, period_end, created_at FROM after
                         EXCEPT
                         SELECT organization_id, payout_id, id, description, amount, source_amount,
                                currency, plan_name, period_end, created_at FROM before)) AS changed
                 WHERE payout_id IS NOT NULL
                 GROUP BY organization_id, payout_id) AS touched
         WHERE payouts.organization_id = touched.organization_id
           AND payouts.id = touched.payout_id;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF is_importing() THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        UPDATE payouts SET line_count = line_count + 1
         WHERE organization_id = NEW.organization_id AND id = NEW.payout_id;
    ELSE
        UPDATE payouts SET line_count = line_count - 1
         WHERE organization_id = OLD.organization_id AND id = OLD.payout_id;
    END IF;
    RETURN NULL;
END $$;
