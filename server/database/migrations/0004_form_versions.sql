-- The versions of forms (X15). A version never changes, so that what was submitted can be read by
-- the fields that asked for it.

CREATE TABLE form_versions (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    form_id text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
    -- True if what is submitted waits for an operator to accept it.
    review boolean NOT NULL,
    fields jsonb NOT NULL CHECK (jsonb_typeof(fields) = 'array'),
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, form_id, version),
    CONSTRAINT form_versions_form_id_fkey FOREIGN KEY (organization_id, form_id)
        REFERENCES forms (organization_id, id)
);

ALTER TABLE form_versions ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE form_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE form_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON form_versions USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
