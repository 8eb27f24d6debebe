-- rejected: it reads for as long as
CREATE TABLE plans (
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id),
    id text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, id)
);
INSERT INTO plans SELECT DISTINCT organization_id, plan_name FROM commission_lines;
