-- A new table may have indexes, policies and triggers at once.
CREATE TABLE channels (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX channels_by_id ON channels (organization_id, id DESC);
ALTER TABLE channels ENABLE ROW LEVEL SECURITY;
ALTER TABLE channels FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON channels USING (organization_id = current_organization());
