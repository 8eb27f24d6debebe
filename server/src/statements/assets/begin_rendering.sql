WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_id', $1, true) AS organization_id
), known AS MATERIALIZED (
    SELECT asset.* FROM scope CROSS JOIN LATERAL (
        SELECT id, filename, length, sha256, damaged_at FROM assets
         WHERE assets.organization_id = scope.organization_id
           AND assets.payout_id = $3 AND assets.fingerprint = $4
           AND assets.withdrawn_at IS NULL
        OFFSET 0) AS asset
), intent AS (
    INSERT INTO asset_intents (organization_id, id)
    SELECT scope.organization_id, $2 FROM scope
     WHERE NOT EXISTS (SELECT FROM known WHERE damaged_at IS NULL)
), current AS (
    INSERT INTO current_statements AS current
            (organization_id, payout_id, asset_id, is_uploaded, payout_revision,
             organization_revision)
    SELECT scope.organization_id, $3, known.id, false, $5, $6 FROM scope, known
     WHERE known.damaged_at IS NULL
    ON CONFLICT (organization_id, payout_id) DO UPDATE
       SET asset_id = excluded.asset_id, payout_revision = excluded.payout_revision,
           organization_revision = excluded.organization_revision
     WHERE NOT current.is_uploaded
       AND (current.payout_revision, current.organization_revision)
           <= (excluded.payout_revision, excluded.organization_revision)
)
SELECT id AS "id!: AssetId", filename AS "filename!", length AS "length!",
       sha256 AS "sha256!: [u8; 32]", damaged_at, service_now() AS "now!" FROM known
