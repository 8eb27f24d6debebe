-- Breaks forced row-level security: planted
CREATE TABLE planted (organization_id text);

-- Breaks forced row-level security: planted
CREATE TABLE planted (organization_id text); {policy}

-- Breaks forced row-level security: planted
CREATE TABLE planted (organization_id text); {policy} ALTER TABLE planted ENABLE ROW LEVEL SECURITY;

-- Breaks forced row-level security: planted
CREATE TABLE planted (organization_id text); {guarded}

-- Breaks forced row-level security: planted
CREATE TABLE planted (organization_id text); {guarded}
CREATE POLICY open ON planted USING (true);

-- Breaks forced row-level security: planted
CREATE TABLE planted (organization_id text); {guarded} {policy}
CREATE POLICY open ON planted FOR SELECT USING (true);

-- Breaks nothing
CREATE TABLE planted (organization_id text); {guarded} {policy}

-- Breaks unique by organisation: planted_key
CREATE TABLE planted (organization_id text, id text); {guarded} {policy}
CREATE UNIQUE INDEX planted_key ON planted (id);

-- Breaks unique by organisation: planted_key
CREATE TABLE planted (organization_id text, id text); {guarded} {policy}
CREATE UNIQUE INDEX planted_key ON planted (id, organization_id);

-- Breaks unique by organisation: planted_key
CREATE TABLE planted (organization_id text, id text); {guarded} {policy}
CREATE UNIQUE INDEX planted_key ON planted (lower(id), organization_id);

-- Breaks foreign key by organisation: planted_crossed, planted_other
CREATE TABLE planted (
    organization_id text COLLATE "C", other text COLLATE "C", id text COLLATE "C"
);
{guarded} {policy}
ALTER TABLE planted ADD CONSTRAINT planted_crossed FOREIGN KEY (id, organization_id)
    REFERENCES users (organization_id, id);
ALTER TABLE planted ADD CONSTRAINT planted_other FOREIGN KEY (other, id)
    REFERENCES users (organization_id, id);
ALTER TABLE planted ADD CONSTRAINT planted_fit FOREIGN KEY (organization_id, id)
    REFERENCES users (organization_id, id);

-- Breaks no enum: planted.colour
CREATE TYPE colour AS ENUM ('red'); CREATE TABLE planted (colour colour);

-- Breaks no enum: planted.colours
CREATE TYPE colour AS ENUM ('red'); CREATE TABLE planted (colours colour[]);

-- Breaks invoker view: planted
CREATE VIEW planted AS SELECT 1;

-- Breaks invoker view: planted
CREATE VIEW planted WITH (security_invoker = false) AS SELECT 1;

-- Breaks no materialised view: planted
CREATE MATERIALIZED VIEW planted AS SELECT 1;

-- Breaks no security definer: planted()
CREATE FUNCTION planted() RETURNS int LANGUAGE sql SECURITY DEFINER RETURN 1;

-- Breaks harmless app role: TRUNCATE on partners
GRANT TRUNCATE ON partners TO payout_test_app;

-- Breaks harmless app role: CREATE in the schema payout
GRANT CREATE ON SCHEMA payout TO payout_test_app;

-- Breaks nothing
CREATE VIEW planted WITH (security_invoker = true) AS SELECT 1;
