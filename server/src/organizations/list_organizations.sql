SELECT organizations.id, name, created_at, requests_per_minute, credits_per_month,
       CASE WHEN minute >= date_trunc('minute', service_now(), 'UTC')
            THEN minute_used ELSE 0 END AS "requests_this_minute!",
       CASE WHEN month >= date_trunc('month', service_now(), 'UTC')
            THEN month_used ELSE 0 END AS "credits_this_month!",
       (SELECT count(*) FROM api_keys
         WHERE organization_id = organizations.id AND revoked_at IS NULL
           AND expires_at > service_now()) AS "valid_keys!",
       stopped_at, moved_to
  FROM organizations
  JOIN meters ON meters.organization_id = organizations.id
 WHERE ($1::text IS NULL OR organizations.id = $1)
   AND ($2::bigint IS NULL OR credits_per_month > 0
                          AND month >= date_trunc('month', service_now(), 'UTC')
                          AND month_used * 100 >= credits_per_month * $2)
 ORDER BY name, organizations.id
