WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_id', $1, true) AS organization_id
), visited AS MATERIALIZED (
    SELECT partner.id IS NOT NULL AS has_partner,
           experience_template_id IS NOT NULL AS is_published,
           coalesce(portal_access, 'RESTRICTED_USERS') AS access,
           partner.id IS NOT NULL AND may_enter(scope.organization_id, $3, $4) AS may_enter
      FROM scope
      LEFT JOIN LATERAL (
           SELECT id, experience_template_id, portal_access FROM partners
            WHERE organization_id = scope.organization_id AND id = $3
            LIMIT 1) AS partner ON true
), created AS (
    INSERT INTO portal_sessions
           (organization_id, id, partner_id, email, link_hash, link_expires_at)
    SELECT $1, $2, $3, $4, $5, service_now() + make_interval(secs => $6)
      FROM visited
     WHERE may_enter
    RETURNING id, partner_id, email, link_expires_at
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $7, $8, 'create_portal_session', id,
           jsonb_build_object('partnerId', partner_id, 'email', email,
                              'linkExpiresAt', printed(link_expires_at))
      FROM created
)
SELECT has_partner AS "has_partner!", is_published AS "is_published!", access AS "access!",
       link_expires_at AS "link_expires_at?"
  FROM visited LEFT JOIN created ON true
