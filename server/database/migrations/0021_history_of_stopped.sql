-- Each mutation writes its row of history, so none commits that began after the stop. After the
-- statement, because a statement may name its organisation itself. The code of the error is ours.

CREATE FUNCTION refuse_if_stopped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM payout.organizations
                WHERE id = payout.current_organization() AND stopped_at IS NOT NULL) THEN
        RAISE EXCEPTION USING ERRCODE = 'MV001', MESSAGE =
            'the organisation is stopped, because it moves to another cell';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER history_of_stopped AFTER INSERT ON history
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_if_stopped();
