WITH visits AS MATERIALIZED (
    SELECT visit.position, visit.click_id, owner.organization_id, owner.link_id,
           organization.stopped_at IS NOT NULL AS is_stopped
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS visit (code, click_id, position)
      LEFT JOIN affiliate_codes AS owner ON owner.code = visit.code
      LEFT JOIN organizations AS organization ON organization.id = owner.organization_id
), scope AS MATERIALIZED (
    SELECT set_config('app.organization_ids',
                      coalesce(string_agg(DISTINCT organization_id, ','), ''), true) AS ids
      FROM visits
), found AS MATERIALIZED (
    SELECT visits.*, link.target_url
      FROM scope CROSS JOIN visits
      LEFT JOIN LATERAL (
           SELECT target_url FROM affiliate_links
            WHERE organization_id = visits.organization_id AND id = visits.link_id
              AND disabled_at IS NULL AND scope.ids IS NOT NULL
           OFFSET 0) AS link ON true
), recorded AS (
    INSERT INTO clicks (organization_id, id, link_id)
    SELECT organization_id, click_id, link_id
      FROM found WHERE target_url IS NOT NULL AND click_id IS NOT NULL AND NOT is_stopped
        -- Without a column, because that would need a policy to read clicks.
        ON CONFLICT DO NOTHING
)
SELECT target_url AS "target_url?", is_stopped AS "is_stopped!" FROM found ORDER BY position
