WITH scope AS MATERIALIZED (
    SELECT set_config('app.organization_id', $1, true) AS organization_id
), named AS MATERIALIZED (
    SELECT EXISTS (
               SELECT FROM partners
                WHERE organization_id = scope.organization_id AND id = $3) AS has_partner,
           $4::text IS NULL OR EXISTS (
               SELECT FROM payouts
                WHERE organization_id = scope.organization_id AND id = $4
                  AND partner_id = $3) AS has_payout,
           $5::text IS NULL OR EXISTS (
               SELECT FROM commission_lines
                WHERE organization_id = scope.organization_id AND id = $5
                  AND partner_id = $3) AS has_line,
           $6::text IS NULL OR thread.partner_id IS NOT DISTINCT FROM $3
               AND coalesce($4, thread.payout_id) IS NOT DISTINCT FROM thread.payout_id
               AND coalesce($5, thread.commission_line_id)
                       IS NOT DISTINCT FROM thread.commission_line_id AS has_thread,
           $9::text IS NULL OR author.id IS NOT NULL AS has_author,
           coalesce(thread.visibility = 'INTERNAL', false) AS is_internal_thread,
           thread.id AS thread_id, thread.payout_id, thread.commission_line_id,
           author.id AS author_id, author.name AS author_name, author.email AS author_email
      FROM scope
      LEFT JOIN LATERAL (
           SELECT first.* FROM comments AS joined
             JOIN comments AS first ON first.organization_id = joined.organization_id
                                   AND first.id = joined.thread_id
            WHERE joined.organization_id = scope.organization_id AND joined.id = $6
            LIMIT 1) AS thread ON true
      LEFT JOIN LATERAL (
           SELECT id, name, email FROM users
            WHERE organization_id = scope.organization_id
              AND lower(email COLLATE "C") = lower($9 COLLATE "C")
            ORDER BY id LIMIT 1) AS author ON true
), created AS (
    INSERT INTO comments (organization_id, id, partner_id, payout_id, commission_line_id,
                          thread_id, text, visibility, author_id)
    SELECT $1, $2, $3, coalesce($4, payout_id), coalesce($5, commission_line_id),
           coalesce(thread_id, $2), $7, $8, author_id
      FROM named
     WHERE has_partner AND has_payout AND has_line AND has_thread AND has_author
       AND NOT (is_internal_thread AND $8 = 'PARTNER')
    RETURNING *
), entry AS (
    INSERT INTO history (organization_id, actor, request_id, action, resource_id, after)
    SELECT $1, $10, $11, 'create_comment', id,
           jsonb_build_object(
               'partnerId', partner_id, 'payoutId', payout_id,
               'commissionLineId', commission_line_id, 'threadId', thread_id, 'text', text,
               'visibility', visibility, 'source', source, 'authorId', author_id)
      FROM created
)
SELECT has_partner AS "has_partner!", has_payout AS "has_payout!", has_line AS "has_line!",
       has_thread AS "has_thread!", has_author AS "has_author!",
       created.payout_id, created.commission_line_id, created.thread_id AS "thread_id?",
       named.author_id AS "author_id?", author_name AS "author_name?",
       author_email AS "author_email?", created_at AS "created_at?"
  FROM named LEFT JOIN created ON true
