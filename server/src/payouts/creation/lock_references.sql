WITH batch AS (
    SELECT id FROM payout_batches
     WHERE organization_id = $1 AND id = $3
       FOR NO KEY UPDATE
)
SELECT EXISTS (SELECT FROM partners WHERE organization_id = $1 AND id = $2) AS "partner!",
       $3::text IS NULL OR EXISTS (SELECT FROM batch) AS "batch!"
