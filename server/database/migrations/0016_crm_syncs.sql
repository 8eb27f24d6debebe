-- Syncs of CRM objects: the jobs of the workers (X21).

CREATE TABLE crm_syncs (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    object_type text NOT NULL CHECK (object_type IN ('PARTNER', 'COMPANY')),
    object_id text COLLATE "C" NOT NULL CHECK (length(object_id) BETWEEN 1 AND 255),
    status text NOT NULL DEFAULT 'QUEUED'
        CHECK (status IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    -- The key and the request that asked for it, for the history.
    actor text NOT NULL,
    request_id text NOT NULL,
    -- How many tries have begun. Only the newest one may write a result.
    tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
    -- A try is under way, unless its lease is over; a running sync without one waits for the next.
    in_flight boolean NOT NULL DEFAULT false,
    -- When a worker may take it up: a queued one at once, a running one after its lease or its
    -- pause; null once it has ended.
    due_at timestamptz(3),
    partner_id text COLLATE "C",
    changed boolean NOT NULL DEFAULT false,
    failure_code text,
    failure_message text,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    finished_at timestamptz(3),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT crm_syncs_finished_check
        CHECK ((status IN ('SUCCEEDED', 'FAILED')) = (finished_at IS NOT NULL)),
    CONSTRAINT crm_syncs_due_check CHECK ((finished_at IS NULL) = (due_at IS NOT NULL)),
    CONSTRAINT crm_syncs_in_flight_check CHECK (NOT in_flight OR status = 'RUNNING'),
    CONSTRAINT crm_syncs_failure_check
        CHECK (num_nonnulls(failure_code, failure_message)
               = CASE status WHEN 'FAILED' THEN 2 ELSE 0 END),
    CONSTRAINT crm_syncs_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id)
);

-- Of one object, one sync waits and one runs, whatever servers and requests do at the same time.
CREATE UNIQUE INDEX crm_syncs_queued_key ON crm_syncs (organization_id, object_type, object_id)
    WHERE status = 'QUEUED';
CREATE UNIQUE INDEX crm_syncs_running_key ON crm_syncs (organization_id, object_type, object_id)
    WHERE status = 'RUNNING';
CREATE INDEX crm_syncs_open ON crm_syncs (organization_id, due_at, id) WHERE due_at IS NOT NULL;

ALTER TABLE crm_syncs ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE crm_syncs ENABLE ROW LEVEL SECURITY;
ALTER TABLE crm_syncs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON crm_syncs USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
CREATE POLICY partner ON crm_syncs AS RESTRICTIVE USING ((SELECT current_partner()) IS NULL);
