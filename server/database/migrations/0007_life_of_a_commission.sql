-- The life of a commission: partners, lines and payouts are created and changed through the API (§4.8, X1–X9).

-- A partner is matched by its domain, ASCII letters without case (X1): in the collation "C" `lower` changes no others. A column
-- and no index of an expression, because under row-level security only leakproof conditions use an index.
ALTER TABLE partners ADD COLUMN domain_key text COLLATE "C" GENERATED ALWAYS AS (lower(domain COLLATE "C")) STORED;

CREATE INDEX partners_by_domain ON partners (organization_id, domain_key, created_at, id) WHERE domain_key IS NOT NULL;

-- What payouts were made together (X5). Its counts are those of its making.
CREATE TABLE payout_batches (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    period_start timestamptz(3) NOT NULL,
    period_end timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id)
);

-- The tables' owner, too, sees rows through policies alone.
ALTER TABLE payouts NO FORCE ROW LEVEL SECURITY;
INSERT INTO payout_batches (organization_id, id, period_start, period_end, created_at)
SELECT organization_id, batch_id, min(period_start), max(period_end), min(created_at)
  FROM payouts
 GROUP BY organization_id, batch_id;
ALTER TABLE payouts FORCE ROW LEVEL SECURITY;

ALTER TABLE payouts ADD CONSTRAINT payouts_batch_id_fkey
    FOREIGN KEY (organization_id, batch_id) REFERENCES payout_batches (organization_id, id);

-- Most lines have no key, and each index costs at every change of a line.
ALTER TABLE commission_lines DROP CONSTRAINT commission_lines_idempotency_key_key;
CREATE UNIQUE INDEX commission_lines_by_idempotency_key ON commission_lines (organization_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

-- One index per filter set of the list (X2), each ending with the keyset.
CREATE INDEX payouts_by_age ON payouts (organization_id, created_at DESC, id DESC);
CREATE INDEX payouts_by_partner ON payouts (organization_id, partner_id, created_at DESC, id DESC);
CREATE INDEX payouts_by_batch ON payouts (organization_id, batch_id, created_at DESC, id DESC);
CREATE INDEX payouts_by_stage ON payouts (organization_id, stage, created_at DESC, id DESC);

-- As in 0006: else the planner may look for one payout among all of its organisation, and each line that is attached looks for its.
ALTER TABLE payouts ALTER COLUMN organization_id SET (n_distinct = -0.01);
ALTER TABLE commission_lines ALTER COLUMN organization_id SET (n_distinct = -0.01);

-- The first response to an idempotency key, for 24 hours (X9). It is written in the transaction of the work.
CREATE TABLE idempotent_requests (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    operation text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    -- SHA-256 of path and body.
    request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
    status smallint NOT NULL,
    body bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, operation, key)
);

CREATE INDEX idempotent_requests_by_age ON idempotent_requests (organization_id, created_at);

DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['payout_batches', 'idempotent_requests']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization()) '
                       'WITH CHECK (organization_id = current_organization())', tenant_table);
    END LOOP;
END $$;

-- As in 0003_batches.sql: lines are read by their ids in batches too.
CREATE POLICY batch ON commission_lines FOR SELECT
    USING (organization_id IN (SELECT unnest(current_organizations())));
