-- What the server's role may do: read and write rows, never delete one, never change a table. Only two kinds of rows go with
-- their purpose: the note that an object is about to be written, and the response to an idempotency key. Applied after every migration; {app} is the role's quoted name.
GRANT USAGE ON SCHEMA payout TO {app};
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA payout TO {app};
GRANT DELETE ON payout.asset_intents, payout.idempotent_requests TO {app};
REVOKE INSERT, UPDATE ON payout._sqlx_migrations, payout.database_identity FROM {app};
REVOKE UPDATE ON payout.history FROM {app};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA payout TO {app};
-- These rows never change. An older schema has not all of the tables yet.
DO $$ DECLARE name text; BEGIN
    FOREACH name IN ARRAY ARRAY['comments', 'form_versions'] LOOP
        IF to_regclass('payout.' || name) IS NOT NULL THEN
            EXECUTE 'REVOKE UPDATE ON payout.' || name || $from$ FROM {app}$from$;
        END IF;
    END LOOP;
END $$;
