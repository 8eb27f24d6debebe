-- The addresses that operators gave a partner for its portal (X16).

CREATE TABLE portal_users (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    partner_id text COLLATE "C" NOT NULL,
    email text NOT NULL CHECK (length(email) BETWEEN 1 AND 320),
    -- Addresses are compared without ASCII case; `lower` changes no other letters in "C".
    email_key text COLLATE "C" GENERATED ALWAYS AS (lower(email COLLATE "C")) STORED,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    -- A user that was taken away; the row stays, as the history of who could enter.
    removed_at timestamptz(3),
    PRIMARY KEY (organization_id, partner_id, email_key),
    CONSTRAINT portal_users_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id)
);

ALTER TABLE portal_users ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE portal_users ENABLE ROW LEVEL SECURITY;
ALTER TABLE portal_users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON portal_users USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
