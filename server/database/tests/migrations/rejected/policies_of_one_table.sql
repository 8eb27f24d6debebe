-- table by table
-- rejected: one CREATE POLICY for each table
CREATE POLICY named ON partners AS RESTRICTIVE USING (id <> '');
CREATE POLICY named ON partners AS RESTRICTIVE USING (name <> '');
