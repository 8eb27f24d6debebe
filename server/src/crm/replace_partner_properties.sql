-- As texts: two numbers may be equal and have other digits.
WITH found AS MATERIALIZED (
    SELECT id, created_at, partner_object_crm_properties AS properties FROM partners
     WHERE organization_id = $1 AND external_id = $2
     ORDER BY id
       FOR NO KEY UPDATE
), changed AS (
    UPDATE partners
       SET partner_object_crm_properties = $3::jsonb,
           updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
      FROM found
     WHERE partners.organization_id = $1 AND partners.id = found.id
       AND found.properties::text <> $3::jsonb::text
    RETURNING partners.id, found.properties AS before
), entries AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, before, after)
    SELECT $1, $4, $5, 'sync_partner', id,
           jsonb_build_object('partnerObjectCrmProperties', before),
           jsonb_build_object('partnerObjectCrmProperties', $3::jsonb)
      FROM changed
)
SELECT (SELECT id FROM found ORDER BY created_at, id LIMIT 1) AS partner_id,
       EXISTS (SELECT FROM changed) AS "changed!"
