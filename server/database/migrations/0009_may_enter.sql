-- True if the partner has a portal, and this address may enter it (X16). The domain is what follows
-- the last @.

CREATE FUNCTION may_enter(of_organization text, of_partner text, address text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN EXISTS (
        SELECT FROM partners AS partner
         WHERE partner.organization_id = of_organization AND partner.id = of_partner
           AND experience_template_id IS NOT NULL
           AND (portal_access = 'RESTRICTED_DOMAINS'
                    AND domain_key = substring(lower(address COLLATE "C") FROM '[^@]*$')
                OR EXISTS (
                    SELECT FROM portal_users
                     WHERE portal_users.organization_id = of_organization
                       AND partner_id = of_partner
                       AND email_key = lower(address COLLATE "C") AND removed_at IS NULL)));
