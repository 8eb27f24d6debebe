-- Which organisation's syncs a worker takes up next (X21). A worker has to read this for all
-- organisations before it knows one, so the table has no row-level security, and nothing in it but
-- times and numbers: the syncs themselves, and all that they change, stay behind it. Whoever holds
-- the lock of a row counts and takes up syncs of that organisation, on all servers.

CREATE TABLE crm_queue (
    organization_id text COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
    -- When one can be taken up; null where none can.
    due_at timestamptz(3),
    -- Tries under way, of all servers.
    running bigint NOT NULL DEFAULT 0,
    queued bigint NOT NULL DEFAULT 0,
    oldest_queued_at timestamptz(3),
    -- The CRM asked for no request before this time.
    rests_until timestamptz(3) NOT NULL DEFAULT 'epoch'
);

CREATE INDEX crm_queue_by_due ON crm_queue (due_at) WHERE due_at IS NOT NULL;
