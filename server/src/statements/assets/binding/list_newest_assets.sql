WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_ids', coalesce(string_agg(id, ','), ''), true)
           AS ids
      FROM organizations
)
SELECT found.organization_id AS "organization!: OrganizationId",
       found.id AS "attempt!: AssetId"
  FROM scope
 CROSS JOIN LATERAL unnest(string_to_array(scope.ids, ',')) AS asked (organization_id)
 CROSS JOIN LATERAL (
    SELECT assets.organization_id, assets.id
      FROM assets
     WHERE assets.organization_id = asked.organization_id AND assets.damaged_at IS NULL
     ORDER BY assets.id DESC
     LIMIT 1) AS found
 ORDER BY found.id DESC
 LIMIT $1
