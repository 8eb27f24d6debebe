-- What was submitted with forms (X15).

CREATE TABLE form_submissions (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    form_id text COLLATE "C" NOT NULL,
    form_version integer NOT NULL,
    partner_id text COLLATE "C",
    email text CHECK (length(email) BETWEEN 1 AND 320),
    fields jsonb NOT NULL CHECK (jsonb_typeof(fields) = 'object'),
    external_key text CHECK (length(external_key) BETWEEN 1 AND 255),
    status text NOT NULL CHECK (status IN ('PENDING', 'ACCEPTED', 'DECLINED')),
    submitted_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    updated_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT form_submissions_form_version_fkey
        FOREIGN KEY (organization_id, form_id, form_version)
        REFERENCES form_versions (organization_id, form_id, version),
    CONSTRAINT form_submissions_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id)
);

CREATE UNIQUE INDEX form_submissions_external_key_key
    ON form_submissions (organization_id, form_id, external_key) WHERE external_key IS NOT NULL;

-- One index per filter, each ending with the keyset; the list reads one of them, and compares the
-- other filters row by row.
CREATE INDEX form_submissions_by_age
    ON form_submissions (organization_id, created_at DESC, id DESC);
CREATE INDEX form_submissions_by_form
    ON form_submissions (organization_id, form_id, created_at DESC, id DESC);
CREATE INDEX form_submissions_by_partner
    ON form_submissions (organization_id, partner_id, created_at DESC, id DESC)
    WHERE partner_id IS NOT NULL;
CREATE INDEX form_submissions_by_status
    ON form_submissions (organization_id, status, created_at DESC, id DESC);

ALTER TABLE form_submissions ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE form_submissions ENABLE ROW LEVEL SECURITY;
ALTER TABLE form_submissions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON form_submissions USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
