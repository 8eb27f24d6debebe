-- The connection of an organisation to its CRM (X21). One that was ended has no token.

CREATE TABLE crm_connections (
    organization_id text COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
    -- Each connection has an id of its own. Its token is sealed for this id and this organisation.
    id text COLLATE "C" NOT NULL,
    base_url text NOT NULL CHECK (base_url <> ''),
    -- The CRM's types of objects, and the properties that are read of them.
    partner_type text NOT NULL CHECK (partner_type <> ''),
    company_type text NOT NULL CHECK (company_type <> ''),
    partner_properties text[] NOT NULL,
    company_properties text[] NOT NULL,
    -- The id of the key that seals the token, then the nonce and the sealed token.
    token_key text CHECK (token_key <> ''),
    sealed_token bytea CHECK (octet_length(sealed_token) > 40),
    connected_at timestamptz(3) NOT NULL DEFAULT service_now(),
    CONSTRAINT crm_connections_token_check CHECK ((token_key IS NULL) = (sealed_token IS NULL))
);

ALTER TABLE crm_connections ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE crm_connections ENABLE ROW LEVEL SECURITY;
ALTER TABLE crm_connections FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON crm_connections USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
CREATE POLICY partner ON crm_connections AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
