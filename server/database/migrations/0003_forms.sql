-- Forms that operators publish (X15). What a form asks for is in its versions.

CREATE TABLE forms (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    -- The version that the API shows; null where the form is not published.
    published_version integer CHECK (published_version >= 1),
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    updated_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id)
);

CREATE INDEX forms_by_age ON forms (organization_id, created_at DESC, id DESC)
    WHERE published_version IS NOT NULL;

ALTER TABLE forms ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE forms ENABLE ROW LEVEL SECURITY;
ALTER TABLE forms FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON forms USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
