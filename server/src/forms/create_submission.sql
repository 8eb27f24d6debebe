WITH created AS (
    INSERT INTO form_submissions
           (organization_id, id, form_id, form_version, partner_id, email, fields, external_key,
            status, submitted_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10, service_now()))
        ON CONFLICT DO NOTHING
    RETURNING *
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $11, $12, 'create_form_submission', id,
           jsonb_build_object(
               'formId', form_id, 'formVersion', form_version, 'partnerId', partner_id,
               'email', email, 'fields', fields, 'externalKey', external_key, 'status', status,
               'submittedAt', printed(submitted_at))
      FROM created
)
SELECT id, form_id, form_version, partner_id, email, fields, external_key, status, submitted_at,
       created_at, updated_at
  FROM created
