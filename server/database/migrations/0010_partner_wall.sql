-- table by table
-- The portal's wall (X17): within the organisation, a transaction of the portal sees what belongs to
-- its partner, and nothing of the tables that belong to nobody's partner. Any other transaction sees
-- what it saw before. CASE, because PostgreSQL takes it to hold for half the rows: it would expect
-- next to none of a comparison, and plan the statements of the API for that.

CREATE POLICY partner ON partners AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE id = (SELECT current_partner()) END);
CREATE POLICY partner ON payouts AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) END);
CREATE POLICY partner ON commission_lines AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) END);
CREATE POLICY partner ON form_submissions AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) END);
CREATE POLICY partner ON portal_users AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) END);
CREATE POLICY partner ON portal_sessions AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) END);
CREATE POLICY partner ON comments AS RESTRICTIVE
    USING (CASE WHEN (SELECT current_partner()) IS NULL THEN true
                ELSE partner_id = (SELECT current_partner()) AND visibility = 'PARTNER' END);
-- What a visitor does is written to the history, and no visitor reads it.
CREATE POLICY partner ON history AS RESTRICTIVE FOR SELECT
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON billing_information AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON statement_templates AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON users AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON tiers AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON phases AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON experience_templates AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON payout_batches AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON assets AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON asset_intents AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON current_statements AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
CREATE POLICY partner ON idempotent_requests AS RESTRICTIVE
    USING ((SELECT current_partner()) IS NULL);
