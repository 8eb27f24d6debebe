-- The partner whose portal this transaction serves (X17); NULL in every other transaction. Sessions
-- of the portal begin with a partner that nobody has, so that one without a partner sees nothing.

CREATE FUNCTION current_partner() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('app.partner_id', true), '');
