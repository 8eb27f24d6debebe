-- rejected: `-- table by table`
CREATE POLICY named ON partners AS RESTRICTIVE USING (id <> '');
CREATE POLICY named ON payouts AS RESTRICTIVE USING (id <> '');
