-- updatePartner, as in server/src/partners/store.rs.
BEGIN;
SELECT partners.id, name, domain, portal_access, tier_id, experience_template_id, phase_id,
       owner_id
  FROM partners
 WHERE organization_id = 'org_01BE' || lpad(:organization::text, 22, '0')
   AND id = (SELECT coalesce(
       (SELECT by_id.id FROM partners AS by_id
         WHERE by_id.organization_id = 'org_01BE' || lpad(:organization::text, 22, '0')
           AND by_id.id = 'ptn_01BE0000000000000000000000'),
       (SELECT by_external_id.id FROM partners AS by_external_id
         WHERE by_external_id.organization_id
               = 'org_01BE' || lpad(:organization::text, 22, '0')
           AND by_external_id.external_id = 'ptn_01BE0000000000000000000000')))
   FOR UPDATE \gset before_
WITH updated AS (
    UPDATE partners
       SET name = 'Nordlys Consulting ' || :turn::text, domain = NULL, portal_access = NULL,
           tier_id = NULL, experience_template_id = NULL, phase_id = NULL, owner_id = NULL,
           updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
     WHERE organization_id = 'org_01BE' || lpad(:organization::text, 22, '0')
       AND id = 'ptn_01BE0000000000000000000000'
    RETURNING *
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, before, after)
    SELECT updated.organization_id, 'key_01BE0000000000000000000000',
           'req_01BE0000000000000000000000', 'update_partner', updated.id,
           jsonb_build_object('name', :before_name::text, 'domain', NULL, 'portalAccess', NULL,
                              'tierId', NULL, 'experienceTemplateId', NULL, 'phaseId', NULL,
                              'partnerOwnerId', NULL),
           jsonb_build_object('name', updated.name, 'domain', NULL, 'portalAccess', NULL,
                              'tierId', NULL, 'experienceTemplateId', NULL, 'phaseId', NULL,
                              'partnerOwnerId', NULL)
      FROM updated
)
SELECT partners.organization_id, partners.id, partners.name, partners.domain,
       partners.external_company_id, partners.external_id, partners.external_id_type,
       partners.categories, partners.tier_id, partners.phase_id, partners.experience_template_id,
       partners.portal_access, partners.owner_id, owners.name, owners.email, partners.manager_id,
       managers.name, managers.email, partners.partner_object_crm_properties,
       partners.company_crm_properties, partners.status, partners.created_at, partners.updated_at
  FROM updated AS partners
  LEFT JOIN users AS owners ON owners.organization_id = partners.organization_id
                           AND owners.id = partners.owner_id
  LEFT JOIN users AS managers ON managers.organization_id = partners.organization_id
                             AND managers.id = partners.manager_id;
COMMIT;
