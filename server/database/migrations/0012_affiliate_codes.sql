-- Whose link has a code (X18). The redirect begins with the code and knows no organisation, as the
-- gate begins with a key: so this table has no row-level security, and nothing else about a link.

CREATE TABLE affiliate_codes (
    code text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    link_id text COLLATE "C" NOT NULL,
    CONSTRAINT affiliate_codes_link_id_fkey FOREIGN KEY (organization_id, link_id)
        REFERENCES affiliate_links (organization_id, id)
);
