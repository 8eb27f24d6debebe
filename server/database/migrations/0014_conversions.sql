-- What clicks became (X19). A conversion never changes, but that it is reversed (X20).

CREATE TABLE conversions (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    click_id text COLLATE "C" NOT NULL,
    partner_id text COLLATE "C" NOT NULL,
    external_id text COLLATE "C" CHECK (length(external_id) BETWEEN 1 AND 255),
    amount numeric(20, 2) CHECK (amount >= 0),
    currency text CHECK (currency ~ '^[A-Z]{3}$'),
    email text CHECK (length(email) BETWEEN 1 AND 320),
    properties jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(properties) = 'object'),
    occurred_at timestamptz(3) NOT NULL,
    -- The end of the link's hold: the line becomes PENDING.
    matures_at timestamptz(3) NOT NULL,
    -- Null where the commission is zero.
    commission_line_id text COLLATE "C",
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    reversed_at timestamptz(3),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT conversions_money_check CHECK ((amount IS NULL) = (currency IS NULL)),
    CONSTRAINT conversions_click_id_fkey FOREIGN KEY (organization_id, click_id)
        REFERENCES clicks (organization_id, id),
    CONSTRAINT conversions_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id),
    CONSTRAINT conversions_commission_line_id_fkey
        FOREIGN KEY (organization_id, commission_line_id)
        REFERENCES commission_lines (organization_id, id)
);

-- An order is one conversion, and so is a click without an order.
CREATE UNIQUE INDEX conversions_external_id_key ON conversions (organization_id, external_id)
    WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX conversions_click_key ON conversions (organization_id, click_id)
    WHERE external_id IS NULL;
CREATE UNIQUE INDEX conversions_commission_line_key
    ON conversions (organization_id, commission_line_id) WHERE commission_line_id IS NOT NULL;
CREATE INDEX conversions_by_click ON conversions (organization_id, click_id, created_at, id);
CREATE INDEX conversions_by_age ON conversions (organization_id, created_at DESC, id DESC);

ALTER TABLE conversions ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE conversions ENABLE ROW LEVEL SECURITY;
ALTER TABLE conversions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON conversions USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
CREATE POLICY partner ON conversions AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) END);
