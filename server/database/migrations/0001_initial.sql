-- The first schema. Conventions (README.md beside this file):
--  * every tenant table begins its primary, unique and foreign keys with organization_id, and has forced row-level security;
--  * timestamps are timestamptz(3): what is stored is what is printed, so a cursor never skips a row (V2, R8);
--  * value sets are text with a CHECK: an enum cannot be an index condition under row-level security;
--  * ids compare by byte (COLLATE "C"), so that every server orders a list alike (R7).

-- The one clock: admission, expiry and timestamps ask it, and a test replaces it in its own database.
CREATE FUNCTION service_now() RETURNS timestamptz(3)
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN date_trunc('milliseconds', statement_timestamp());

-- The organisation whose rows this transaction may see; NULL outside a tenant's transaction, which sees nothing.
CREATE FUNCTION current_organization() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('app.organization_id', true), '');

-- Read across organisations, by the gate and the operator's commands alone ---------------------------------------------

CREATE TABLE organizations (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL CHECK (name <> ''),
    created_at timestamptz(3) NOT NULL DEFAULT service_now()
);

CREATE TABLE api_keys (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    -- SHA-256 of the whole key: the key itself is shown once and never stored (A1).
    hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    last_four text NOT NULL CHECK (length(last_four) = 4),
    scopes text[] NOT NULL CHECK (
        scopes <@ ARRAY['partners:read', 'partners:write', 'commissions:read', 'commissions:write',
                        'affiliate:write', 'portal-sessions:write']),
    api_version text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    expires_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3),
    PRIMARY KEY (organization_id, id)
);

-- One row per organisation, rewritten by every admitted request: no index on a counter, and room on the page, so that
-- each update stays in place.
CREATE TABLE meters (
    organization_id text COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
    requests_per_minute integer NOT NULL CHECK (requests_per_minute > 0),
    credits_per_month bigint CHECK (credits_per_month >= 0),
    minute timestamptz(3) NOT NULL DEFAULT 'epoch',
    minute_used integer NOT NULL DEFAULT 0 CHECK (minute_used >= 0),
    month timestamptz(3) NOT NULL DEFAULT 'epoch',
    month_used bigint NOT NULL DEFAULT 0 CHECK (month_used >= 0),
    -- What the latest update took from the month, so that its RETURNING can tell a charge from a refusal.
    credits_granted integer NOT NULL DEFAULT 0 CHECK (credits_granted >= 0)
) WITH (fillfactor = 10);

-- Tenant tables --------------------------------------------------------------------------------------------------------

CREATE TABLE billing_information (
    organization_id text COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
    legal_name text,
    address_line_1 text,
    address_line_2 text,
    postal_code text,
    city text,
    country text,
    finance_email text,
    company_number text,
    vat_number text,
    updated_at timestamptz(3) NOT NULL DEFAULT service_now()
);

CREATE TABLE users (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE TABLE tiers (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE TABLE phases (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE TABLE experience_templates (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (organization_id, id)
);

CREATE TABLE partners (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    domain text CHECK (length(domain) BETWEEN 1 AND 255),
    external_company_id text,
    external_id text COLLATE "C",
    external_id_type text CHECK (external_id_type IN ('PARTNER', 'COMPANY')),
    categories text[] NOT NULL DEFAULT '{}',
    tier_id text COLLATE "C",
    phase_id text COLLATE "C",
    experience_template_id text COLLATE "C",
    portal_access text CHECK (portal_access IN ('RESTRICTED_USERS', 'RESTRICTED_DOMAINS')),
    owner_id text COLLATE "C",
    manager_id text COLLATE "C",
    partner_object_crm_properties jsonb NOT NULL DEFAULT '{}',
    company_crm_properties jsonb NOT NULL DEFAULT '{}',
    status text NOT NULL CHECK (status IN ('active', 'pending', 'inactive', 'archived')),
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    updated_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT partners_external_id_key UNIQUE (organization_id, external_id),
    CONSTRAINT partners_tier_id_fkey FOREIGN KEY (organization_id, tier_id) REFERENCES tiers (organization_id, id),
    CONSTRAINT partners_phase_id_fkey FOREIGN KEY (organization_id, phase_id) REFERENCES phases (organization_id, id),
    CONSTRAINT partners_experience_template_id_fkey FOREIGN KEY (organization_id, experience_template_id)
        REFERENCES experience_templates (organization_id, id),
    CONSTRAINT partners_owner_id_fkey FOREIGN KEY (organization_id, owner_id) REFERENCES users (organization_id, id),
    CONSTRAINT partners_manager_id_fkey FOREIGN KEY (organization_id, manager_id) REFERENCES users (organization_id, id)
);

CREATE INDEX partners_by_age ON partners (organization_id, created_at DESC, id DESC);

CREATE TABLE payouts (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    partner_id text COLLATE "C" NOT NULL,
    batch_id text COLLATE "C" NOT NULL,
    period_start timestamptz(3) NOT NULL,
    period_end timestamptz(3) NOT NULL CHECK (period_end >= period_start),
    -- The exact sum of the attached lines, changed in the statement that attaches or detaches one (V4).
    amount numeric(20, 2) NOT NULL DEFAULT 0,
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    stage text NOT NULL CHECK (
        stage IN ('DRAFT', 'PENDING_REVIEW', 'PENDING_INVOICE', 'APPROVED', 'SCHEDULED', 'PENDING_PAYMENT', 'PAID',
                  'DECLINED', 'POSTPONED', 'BLOCKED', 'FAILED')),
    po_number text,
    metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    updated_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id),
    -- What a line must agree on with the payout it is attached to.
    CONSTRAINT payouts_partner_currency_key UNIQUE (organization_id, id, partner_id, currency),
    CONSTRAINT payouts_partner_id_fkey FOREIGN KEY (organization_id, partner_id) REFERENCES partners (organization_id, id)
);

CREATE TABLE commission_lines (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    partner_id text COLLATE "C" NOT NULL,
    payout_id text COLLATE "C",
    description text NOT NULL,
    amount numeric(20, 2) NOT NULL,
    source_amount numeric(20, 2) NOT NULL,
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    status text NOT NULL CHECK (status IN ('EXPECTED', 'PENDING', 'IN_PAYOUT', 'VOIDED')),
    plan_name text NOT NULL,
    period_end timestamptz(3) NOT NULL,
    idempotency_key text COLLATE "C",
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    updated_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT commission_lines_idempotency_key_key UNIQUE (organization_id, idempotency_key),
    CONSTRAINT commission_lines_attached_check CHECK ((status = 'IN_PAYOUT') = (payout_id IS NOT NULL)),
    CONSTRAINT commission_lines_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id),
    CONSTRAINT commission_lines_payout_fkey FOREIGN KEY (organization_id, payout_id, partner_id, currency)
        REFERENCES payouts (organization_id, id, partner_id, currency)
);

-- One index per filter set of the list (4.4), each ending with the keyset.
CREATE INDEX commission_lines_by_age ON commission_lines (organization_id, created_at DESC, id DESC);
CREATE INDEX commission_lines_by_partner ON commission_lines (organization_id, partner_id, created_at DESC, id DESC);
CREATE INDEX commission_lines_by_payout ON commission_lines (organization_id, payout_id, created_at DESC, id DESC)
    WHERE payout_id IS NOT NULL;
CREATE INDEX commission_lines_by_status ON commission_lines (organization_id, status, created_at DESC, id DESC);
CREATE INDEX commission_lines_by_partner_and_status
    ON commission_lines (organization_id, partner_id, status, created_at DESC, id DESC);

-- One row per mutation: who, what, before, after (never updated, never deleted).
CREATE TABLE history (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz(3) NOT NULL DEFAULT service_now(),
    -- An API key's id, or the operator's command.
    actor text NOT NULL,
    request_id text,
    action text NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    before jsonb,
    after jsonb,
    PRIMARY KEY (organization_id, sequence)
);

CREATE INDEX history_by_resource ON history (organization_id, resource_id, sequence);

DO $$
DECLARE tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY[
        'billing_information', 'users', 'tiers', 'phases', 'experience_templates', 'partners', 'payouts',
        'commission_lines', 'history']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (organization_id = current_organization()) '
                       'WITH CHECK (organization_id = current_organization())', tenant_table);
    END LOOP;
END $$;
