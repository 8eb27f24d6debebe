-- table by table
-- Each of these tables is locked for a moment, one after the other.
CREATE POLICY named ON commission_lines AS RESTRICTIVE USING (id <> '');
CREATE POLICY named ON payouts AS RESTRICTIVE USING (id <> '') WITH CHECK (id <> '');
CREATE POLICY named ON channels AS RESTRICTIVE USING (id <> '');
