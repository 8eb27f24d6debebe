-- Sums of lines that cannot overflow (V4), and what a batch of payouts holds (X24).

-- A wider precision of the same scale rewrites nothing.
ALTER TABLE payouts ALTER COLUMN amount TYPE numeric(28, 2);

-- How many lines are attached. Triggers count, so that a server of the version before counts as well.
ALTER TABLE payouts ADD COLUMN line_count bigint NOT NULL DEFAULT 0 CHECK (line_count >= 0);

-- The tables' owner, too, sees rows through policies alone.
ALTER TABLE payouts NO FORCE ROW LEVEL SECURITY;
ALTER TABLE commission_lines NO FORCE ROW LEVEL SECURITY;
UPDATE payouts SET line_count = counted.lines
  FROM (SELECT organization_id, payout_id, count(*) AS lines
          FROM commission_lines WHERE payout_id IS NOT NULL
         GROUP BY organization_id, payout_id) AS counted
 WHERE payouts.organization_id = counted.organization_id AND payouts.id = counted.payout_id;
ALTER TABLE payouts FORCE ROW LEVEL SECURITY;
ALTER TABLE commission_lines FORCE ROW LEVEL SECURITY;

-- A session plans the statement once: a plan for the payouts of a large batch would read the whole
-- table for one line later.
CREATE FUNCTION count_moved_lines() RETURNS trigger LANGUAGE plpgsql
    SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
BEGIN
    UPDATE payouts SET line_count = line_count + moved.lines
      FROM (SELECT organization_id, payout_id, sum(lines) AS lines
              FROM (SELECT organization_id, payout_id, 1 AS lines FROM lines_after
                    UNION ALL
                    SELECT organization_id, payout_id, -1 FROM lines_before) AS both_sides
             WHERE payout_id IS NOT NULL
             GROUP BY organization_id, payout_id
            HAVING sum(lines) <> 0) AS moved
     WHERE payouts.organization_id = moved.organization_id AND payouts.id = moved.payout_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE payouts SET line_count = line_count + 1
         WHERE organization_id = NEW.organization_id AND id = NEW.payout_id;
    ELSE
        UPDATE payouts SET line_count = line_count - 1
         WHERE organization_id = OLD.organization_id AND id = OLD.payout_id;
    END IF;
    RETURN NULL;
END $$;

-- One statement of a batch moves a million lines; one that inserts or deletes has few, and most are in no payout.
CREATE TRIGGER count_moved_lines AFTER UPDATE ON commission_lines
    REFERENCING OLD TABLE AS lines_before NEW TABLE AS lines_after
    FOR EACH STATEMENT EXECUTE FUNCTION count_moved_lines();
CREATE TRIGGER count_new_line AFTER INSERT ON commission_lines
    FOR EACH ROW WHEN (NEW.payout_id IS NOT NULL) EXECUTE FUNCTION count_line();
CREATE TRIGGER count_deleted_line AFTER DELETE ON commission_lines
    FOR EACH ROW WHEN (OLD.payout_id IS NOT NULL) EXECUTE FUNCTION count_line();

-- An instant as the history and the API write it.
CREATE FUNCTION printed(instant timestamptz) RETURNS text LANGUAGE sql STABLE
RETURN to_char(instant AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- A new payout as its history row has it (X0.1), whether it is created alone or in a batch. The body
-- is a string, so that a later migration can alter the columns.
CREATE FUNCTION created_payout(payout payouts) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'partnerId', payout.partner_id, 'batchId', payout.batch_id,
        'periodStart', printed(payout.period_start), 'periodEnd', printed(payout.period_end),
        'amount', payout.amount::text, 'currency', payout.currency, 'stage', payout.stage,
        'poNumber', payout.po_number, 'metadata', payout.metadata)
$$;

-- SHA-256 of the path's values and the body's JSON value, by which repetitions are known (X9).
-- `request_hash` stays for a server of the version before.
ALTER TABLE idempotent_requests ADD COLUMN value_hash bytea CHECK (octet_length(value_hash) = 32);

-- The list of batches (X24) runs by the keyset, as every list does.
CREATE INDEX payout_batches_by_age ON payout_batches (organization_id, created_at DESC, id DESC);
ALTER POLICY tenant ON payout_batches USING (organization_id = (SELECT current_organization()));
