-- Comments about a partner, or about one of its payouts or commission lines (X14).

CREATE TABLE comments (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    partner_id text COLLATE "C" NOT NULL,
    payout_id text COLLATE "C",
    commission_line_id text COLLATE "C",
    -- The comment that begins the thread: this one where it does. All of a thread have its partner
    -- and its target.
    thread_id text COLLATE "C" NOT NULL,
    text text NOT NULL CHECK (length(text) BETWEEN 1 AND 10000),
    visibility text NOT NULL CHECK (visibility IN ('INTERNAL', 'PARTNER')),
    source text NOT NULL DEFAULT 'API' CHECK (source IN ('API', 'PORTAL')),
    author_id text COLLATE "C",
    created_at timestamptz(3) NOT NULL DEFAULT service_now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT comments_one_target_check CHECK (num_nonnulls(payout_id, commission_line_id) <= 1),
    CONSTRAINT comments_partner_id_fkey FOREIGN KEY (organization_id, partner_id)
        REFERENCES partners (organization_id, id),
    CONSTRAINT comments_payout_id_fkey FOREIGN KEY (organization_id, payout_id)
        REFERENCES payouts (organization_id, id),
    CONSTRAINT comments_commission_line_id_fkey FOREIGN KEY (organization_id, commission_line_id)
        REFERENCES commission_lines (organization_id, id),
    CONSTRAINT comments_thread_id_fkey FOREIGN KEY (organization_id, thread_id)
        REFERENCES comments (organization_id, id),
    CONSTRAINT comments_author_id_fkey FOREIGN KEY (organization_id, author_id)
        REFERENCES users (organization_id, id)
);

-- One index per filter that names something, each ending with the keyset; the list reads one of
-- them, and compares the other filters row by row.
CREATE INDEX comments_by_age ON comments (organization_id, created_at DESC, id DESC);
CREATE INDEX comments_by_partner
    ON comments (organization_id, partner_id, created_at DESC, id DESC);
CREATE INDEX comments_by_payout
    ON comments (organization_id, payout_id, created_at DESC, id DESC)
    WHERE payout_id IS NOT NULL;
CREATE INDEX comments_by_commission_line
    ON comments (organization_id, commission_line_id, created_at DESC, id DESC)
    WHERE commission_line_id IS NOT NULL;
CREATE INDEX comments_by_thread
    ON comments (organization_id, thread_id, created_at DESC, id DESC);

ALTER TABLE comments ALTER COLUMN organization_id SET (n_distinct = -0.01);

ALTER TABLE comments ENABLE ROW LEVEL SECURITY;
ALTER TABLE comments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON comments USING (organization_id = (SELECT current_organization()))
    WITH CHECK (organization_id = current_organization());
