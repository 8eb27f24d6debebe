-- Clicks on affiliate links (X18): who was sent is not known, only when.

CREATE TABLE clicks (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    link_id text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT clicks_link_id_fkey FOREIGN KEY (organization_id, link_id)
        REFERENCES affiliate_links (organization_id, id)
);

ALTER TABLE clicks ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE clicks ENABLE ROW LEVEL SECURITY;
ALTER TABLE clicks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON clicks USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
-- Clicks on links of several organisations are written at once.
CREATE POLICY batch ON clicks FOR INSERT
    WITH CHECK (organization_id IN (SELECT unnest(current_organizations())));
CREATE POLICY partner ON clicks AS RESTRICTIVE USING ((SELECT current_partner()) IS NULL);
