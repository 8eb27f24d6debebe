WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_id', $1, true) AS organization_id
), intent AS MATERIALIZED (
    SELECT found.* FROM scope CROSS JOIN LATERAL (
        SELECT id FROM asset_intents
         WHERE asset_intents.organization_id = scope.organization_id
           AND asset_intents.id = $2
           FOR UPDATE) AS found
), replaced AS (
    UPDATE assets SET withdrawn_at = service_now() FROM intent
     WHERE assets.organization_id = $1 AND assets.id = $12
       AND assets.damaged_at IS NOT NULL AND assets.withdrawn_at IS NULL
    RETURNING assets.id
), made AS (
    -- Reads `replaced`, so that its row leaves the unique index first.
    INSERT INTO assets
        (organization_id, id, payout_id, fingerprint, filename, length, sha256)
    SELECT $1, intent.id, $3, $4, $5, $6, $7 FROM intent LEFT JOIN replaced ON true
    ON CONFLICT (organization_id, payout_id, fingerprint) WHERE withdrawn_at IS NULL
    DO NOTHING
    RETURNING id
), remembered AS (
    INSERT INTO history
        (organization_id, actor, request_id, action, resource_id, before, after)
    SELECT $1, $8, $9, 'generate_statement', $3,
           (SELECT jsonb_build_object('assetId', replaced.id) FROM replaced),
           jsonb_build_object('assetId', made.id)
      FROM made
), current AS (
    INSERT INTO current_statements AS current
            (organization_id, payout_id, asset_id, is_uploaded, payout_revision,
             organization_revision)
    SELECT $1, $3, made.id, false, $10, $11 FROM made
    ON CONFLICT (organization_id, payout_id) DO UPDATE
       SET asset_id = excluded.asset_id, payout_revision = excluded.payout_revision,
           organization_revision = excluded.organization_revision
     WHERE NOT current.is_uploaded
       AND (current.payout_revision, current.organization_revision)
           <= (excluded.payout_revision, excluded.organization_revision)
), done AS (
    DELETE FROM asset_intents USING made
     WHERE asset_intents.organization_id = $1 AND asset_intents.id = made.id
)
SELECT EXISTS (SELECT FROM intent) AS "intended!", EXISTS (SELECT FROM made) AS "made!",
       service_now() AS "now!"
