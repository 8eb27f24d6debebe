WITH lookups AS MATERIALIZED (
    SELECT lookups.organization_id, lookups.id, lookups.position
      FROM (SELECT set_config('app.organization_ids',
                              array_to_string($1::text[], ','), true) AS ids) AS scope,
           LATERAL unnest(string_to_array(scope.ids, ','), $2::text[]) WITH ORDINALITY
           AS lookups (organization_id, id, position)
)
SELECT found.organization_id AS "organization_id!", found.payout_id AS "payout_id!",
       service_now() AS "now!", found.is_uploaded AS "is_uploaded?",
       found.id AS "id?: AssetId", found.filename AS "filename?",
       found.length AS "length?",
       found.sha256 AS "sha256?: [u8; 32]", found.damaged_at AS "damaged_at?"
  FROM lookups CROSS JOIN LATERAL (
    SELECT payout.organization_id, payout.id AS payout_id, current.is_uploaded,
           asset.id, asset.filename, asset.length, asset.sha256, asset.damaged_at
      FROM payouts AS payout
      JOIN organizations AS organization ON organization.id = payout.organization_id
      LEFT JOIN current_statements AS current
        ON current.organization_id = payout.organization_id
       AND current.payout_id = payout.id
       AND (current.is_uploaded
            OR (current.payout_revision = payout.statement_revision
                AND current.organization_revision = organization.statement_revision))
      LEFT JOIN assets AS asset
        ON asset.organization_id = payout.organization_id
       AND asset.id = current.asset_id
     WHERE payout.organization_id = lookups.organization_id AND payout.id = lookups.id
    OFFSET 0) AS found
 ORDER BY lookups.position
