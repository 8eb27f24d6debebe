-- Links with which partners send customers (X18). What a link pays never changes, because
-- conversions were promised it; a disabled one stays, as what its clicks refer to.

CREATE TABLE affiliate_links (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    partner_id text COLLATE "C" NOT NULL,
    -- The end of its address, `/r/{code}`.
    code text COLLATE "C" NOT NULL CHECK (code ~ '^[A-Za-z0-9_-]{8,32}$'),
    target_url text NOT NULL CHECK (length(target_url) BETWEEN 1 AND 2000),
    plan_name text NOT NULL CHECK (length(plan_name) <= 200),
    -- One of the two: a percentage of a conversion's amount, or a fixed amount.
    percent numeric(5, 2) CHECK (percent > 0 AND percent <= 100),
    fixed_amount numeric(20, 2) CHECK (fixed_amount > 0),
    -- Of the fixed amount.
    currency text CHECK (currency ~ '^[A-Z]{3}$'),
    -- Days for which the commission of a conversion is only expected.
    hold_days integer NOT NULL CHECK (hold_days BETWEEN 0 AND 3650),
    -- Days after a click in which it can become a conversion.
    window_days integer NOT NULL CHECK (window_days BETWEEN 1 AND 3650),
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    disabled_at timestamptz(3),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT affiliate_links_commission_check CHECK (
        num_nonnulls(percent, fixed_amount) = 1
        AND (fixed_amount IS NULL) = (currency IS NULL)),
    CONSTRAINT affiliate_links_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id)
);

CREATE INDEX affiliate_links_by_age ON affiliate_links (organization_id, created_at DESC, id DESC);

ALTER TABLE affiliate_links ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE affiliate_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE affiliate_links FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON affiliate_links USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
-- The redirect reads links of several organisations at once.
CREATE POLICY batch ON affiliate_links FOR SELECT
    USING (organization_id IN (SELECT unnest(current_organizations())));
CREATE POLICY partner ON affiliate_links AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) END);
