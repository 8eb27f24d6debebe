-- Sessions in the portal of a partner (X16): made with a link, begun when a person opens it.

CREATE TABLE portal_sessions (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    partner_id text COLLATE "C" NOT NULL,
    email text NOT NULL CHECK (length(email) BETWEEN 1 AND 320),
    -- SHA-256 of the secrets in the link and in the cookie: neither is stored.
    link_hash bytea NOT NULL CHECK (octet_length(link_hash) = 32),
    link_expires_at timestamptz(3) NOT NULL,
    cookie_hash bytea CHECK (octet_length(cookie_hash) = 32),
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    opened_at timestamptz(3),
    expires_at timestamptz(3),
    -- The visitor signed out, or an operator ended it.
    ended_at timestamptz(3),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT portal_sessions_opened_check
        CHECK (num_nonnulls(cookie_hash, opened_at, expires_at) IN (0, 3)),
    CONSTRAINT portal_sessions_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id)
);

CREATE INDEX portal_sessions_by_partner
    ON portal_sessions (organization_id, partner_id, created_at DESC, id DESC);

ALTER TABLE portal_sessions ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE portal_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE portal_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON portal_sessions USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
