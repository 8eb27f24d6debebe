-- Statements (§4.7): their PDFs, the organisation's template, and a counter that tells whether a PDF still holds.

-- What an organisation's statements look like (S4); what is NULL is as we ship it.
CREATE TABLE statement_templates (
    organization_id text COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
    title text CHECK (title <> ''),
    accent_colour text CHECK (accent_colour ~ '^#[0-9a-f]{6}$'),
    footer text CHECK (footer <> ''),
    logo bytea CHECK (octet_length(logo) > 0),
    updated_at timestamptz(3) NOT NULL DEFAULT service_now()
);

-- Raised by each change of what the payout's statement prints; not by a change of anything else (§4.7, rule 2).
ALTER TABLE payouts ADD COLUMN statement_revision bigint NOT NULL DEFAULT 1;

-- Raised by each change of the organisation's template, which its statements print, and of its billing information, which
-- decides whether there may be one.
ALTER TABLE organizations ADD COLUMN statement_revision bigint NOT NULL DEFAULT 1;

-- PDFs that are whole and kept: the object `<organization_id>/<id>.pdf` of the object store has this length and this hash.
CREATE TABLE assets (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    payout_id text COLLATE "C" NOT NULL,
    -- SHA-256 of what was printed (S5); NULL: a person uploaded the PDF (S8).
    fingerprint bytea CHECK (octet_length(fingerprint) = 32),
    filename text NOT NULL CHECK (filename <> ''),
    length bigint NOT NULL CHECK (length > 0),
    sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    -- An uploaded PDF that another one superseded, or an operator removed.
    withdrawn_at timestamptz(3),
    PRIMARY KEY (organization_id, id),
    -- One document for one state of a payout, over all servers (S7).
    CONSTRAINT assets_fingerprint_key UNIQUE (organization_id, payout_id, fingerprint),
    CONSTRAINT assets_payout_key UNIQUE (organization_id, payout_id, id),
    CONSTRAINT assets_withdrawn_check CHECK (withdrawn_at IS NULL OR fingerprint IS NULL),
    CONSTRAINT assets_payout_fkey FOREIGN KEY (organization_id, payout_id) REFERENCES payouts (organization_id, id)
);

CREATE UNIQUE INDEX assets_uploaded_key ON assets (organization_id, payout_id)
    WHERE fingerprint IS NULL AND withdrawn_at IS NULL;

-- An object that is about to be written, and is no asset yet: noted before the object is written, and gone when the asset's
-- row comes, so that whatever a crash leaves behind can be found.
CREATE TABLE asset_intents (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id)
);

-- Which asset holds for a payout: an uploaded one until it is removed, a rendered one at these revisions. That spares reading
-- lines and billing information; where the revisions differ, both are judged and the fingerprint is computed anew.
CREATE TABLE current_statements (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    payout_id text COLLATE "C" NOT NULL,
    asset_id text COLLATE "C",
    is_uploaded boolean NOT NULL,
    payout_revision bigint NOT NULL DEFAULT 0,
    organization_revision bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, payout_id),
    CONSTRAINT current_statements_uploaded_check CHECK (asset_id IS NOT NULL OR NOT is_uploaded),
    CONSTRAINT current_statements_asset_fkey FOREIGN KEY (organization_id, payout_id, asset_id)
        REFERENCES assets (organization_id, payout_id, id)
);

-- The counters are raised here and not by the statements that change something: none can forget it.
CREATE FUNCTION raise_statement_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.statement_revision := OLD.statement_revision + 1;
    RETURN NEW;
END $$;

CREATE TRIGGER payouts_statement_revision BEFORE UPDATE ON payouts FOR EACH ROW
    WHEN (OLD.po_number IS DISTINCT FROM NEW.po_number
          OR OLD.metadata ->> 'statementNote' IS DISTINCT FROM NEW.metadata ->> 'statementNote')
    EXECUTE FUNCTION raise_statement_revision();

CREATE FUNCTION raise_statement_revision_of_organization() RETURNS trigger
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE organizations SET statement_revision = statement_revision + 1 WHERE id = NEW.organization_id;
    RETURN NULL;
END $$;

CREATE TRIGGER statement_templates_changed AFTER INSERT OR UPDATE ON statement_templates FOR EACH ROW
    EXECUTE FUNCTION raise_statement_revision_of_organization();
CREATE TRIGGER billing_information_changed AFTER INSERT OR UPDATE ON billing_information FOR EACH ROW
    EXECUTE FUNCTION raise_statement_revision_of_organization();

-- Once a statement, however many lines it touches. What a line prints, and what decides its place (S2, S5).
CREATE FUNCTION raise_statement_revision_of_lines() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE payouts SET statement_revision = statement_revision + 1
          FROM (SELECT DISTINCT organization_id, payout_id FROM after WHERE payout_id IS NOT NULL) AS touched
         WHERE payouts.organization_id = touched.organization_id AND payouts.id = touched.payout_id;
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE payouts SET statement_revision = statement_revision + 1
          FROM (SELECT DISTINCT organization_id, payout_id FROM before WHERE payout_id IS NOT NULL) AS touched
         WHERE payouts.organization_id = touched.organization_id AND payouts.id = touched.payout_id;
    ELSE
        UPDATE payouts SET statement_revision = statement_revision + 1
          FROM (SELECT organization_id, payout_id
                  FROM ((SELECT organization_id, payout_id, id, description, amount, source_amount, currency, plan_name,
                                period_end, created_at FROM before
                         EXCEPT
                         SELECT organization_id, payout_id, id, description, amount, source_amount, currency, plan_name,
                                period_end, created_at FROM after)
                        UNION ALL
                        (SELECT organization_id, payout_id, id, description, amount, source_amount, currency, plan_name,
                                period_end, created_at FROM after
                         EXCEPT
                         SELECT organization_id, payout_id, id, description, amount, source_amount, currency, plan_name,
                                period_end, created_at FROM before)) AS changed
                 WHERE payout_id IS NOT NULL
                 GROUP BY organization_id, payout_id) AS touched
         WHERE payouts.organization_id = touched.organization_id AND payouts.id = touched.payout_id;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER commission_lines_inserted AFTER INSERT ON commission_lines REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION raise_statement_revision_of_lines();
CREATE TRIGGER commission_lines_updated AFTER UPDATE ON commission_lines REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION raise_statement_revision_of_lines();
CREATE TRIGGER commission_lines_deleted AFTER DELETE ON commission_lines REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION raise_statement_revision_of_lines();

DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['statement_templates', 'assets', 'asset_intents', 'current_statements']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization()) '
                       'WITH CHECK (organization_id = current_organization())', tenant_table);
    END LOOP;
END $$;
