WITH intent AS (
    DELETE FROM asset_intents WHERE organization_id = $1 AND id = $2 RETURNING id
), made AS (
    INSERT INTO assets (organization_id, id, payout_id, filename, length, sha256)
    SELECT $1, intent.id, $3, $4, $5, $6 FROM intent
    RETURNING id
), remembered AS (
    INSERT INTO history
        (organization_id, actor, request_id, action, resource_id, before, after)
    SELECT $1, $7, $8, 'upload_statement', $3,
           CASE WHEN $9::text IS NOT NULL
                THEN jsonb_build_object('assetId', $9::text) END,
           jsonb_build_object('assetId', made.id)
      FROM made
)
SELECT EXISTS (SELECT FROM made) AS "made!", service_now() AS "now!"
