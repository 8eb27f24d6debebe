-- Invariants of lines, payouts, statements, history and meters over all organisations: a sentence,
-- and a statement that counts its violations.

-- a line is attached exactly where it is IN_PAYOUT
SELECT count(*) FROM payout.commission_lines
   WHERE (status = 'IN_PAYOUT') <> (payout_id IS NOT NULL);

-- a payout's amount is the sum of its lines
SELECT count(*) FROM payout.payouts AS p WHERE amount <> coalesce(
   (SELECT sum(amount) FROM payout.commission_lines AS l
     WHERE l.organization_id = p.organization_id AND l.payout_id = p.id), 0);

-- a payout counts its lines
SELECT count(*) FROM payout.payouts AS p WHERE line_count <>
   (SELECT count(*) FROM payout.commission_lines AS l
     WHERE l.organization_id = p.organization_id AND l.payout_id = p.id);

-- no reference crosses organisations
SELECT (SELECT count(*) FROM payout.commission_lines AS l WHERE NOT EXISTS
         (SELECT FROM payout.partners AS p WHERE p.organization_id = l.organization_id
           AND p.id = l.partner_id))
   + (SELECT count(*) FROM payout.commission_lines AS l
       WHERE l.payout_id IS NOT NULL AND NOT EXISTS
         (SELECT FROM payout.payouts AS p WHERE p.organization_id = l.organization_id
           AND p.id = l.payout_id))
   + (SELECT count(*) FROM payout.payouts AS p WHERE NOT EXISTS
         (SELECT FROM payout.partners AS r WHERE r.organization_id = p.organization_id
           AND r.id = p.partner_id))
   + (SELECT count(*) FROM payout.assets AS a WHERE NOT EXISTS
         (SELECT FROM payout.payouts AS p WHERE p.organization_id = a.organization_id
           AND p.id = a.payout_id))
   + (SELECT count(*) FROM payout.history AS h JOIN payout.commission_lines AS l
         ON l.id = h.resource_id
       WHERE l.organization_id <> h.organization_id)
   + (SELECT count(*) FROM payout.history AS h JOIN payout.partners AS p
         ON p.id = h.resource_id
       WHERE p.organization_id <> h.organization_id)
   + (SELECT count(*) FROM payout.history AS h JOIN payout.api_keys AS k
         ON k.id = h.actor
       WHERE k.organization_id <> h.organization_id);

-- a line's attachments and detachments balance with where it is
SELECT count(*) FROM (
     SELECT (l.payout_id IS NOT NULL)::int
            + count(*) FILTER (WHERE h.action IN
                                     ('detach_commission_line', 'decline_commission_line')
                                  OR h.action = 'reverse_conversion'
                                     AND h.before ->> 'status' = 'IN_PAYOUT')
            - count(*) FILTER (WHERE h.action = 'attach_commission_line')
            AS attached_at_first
       FROM payout.commission_lines AS l
       LEFT JOIN payout.history AS h ON h.organization_id = l.organization_id
         AND h.resource_id = l.id
      GROUP BY l.organization_id, l.id, l.payout_id) AS line
   WHERE attached_at_first NOT BETWEEN 0 AND 1;

-- each mutation of a request wrote one row of history
SELECT count(*) FROM (
   SELECT FROM payout.history
    WHERE request_id IS NOT NULL AND action <> 'generate_statement'
    GROUP BY organization_id, request_id, action, resource_id
   HAVING count(*) > 1) AS doubled;

-- a partner has the name that its latest change wrote
SELECT count(*) FROM payout.partners AS p
    JOIN (SELECT DISTINCT ON (organization_id, resource_id)
                 organization_id, resource_id, after
            FROM payout.history WHERE action = 'update_partner' AND after ? 'name'
           ORDER BY organization_id, resource_id, sequence DESC) AS latest
      ON latest.organization_id = p.organization_id AND latest.resource_id = p.id
   WHERE p.name <> latest.after ->> 'name';

-- no organisation has used more credits than it has
SELECT count(*) FROM payout.meters WHERE month_used > credits_per_month;

-- no organisation has made more requests in a minute than it may
SELECT count(*) FROM payout.meters WHERE minute_used > requests_per_minute;

-- one document for one fingerprint
SELECT count(*) FROM (
   SELECT FROM payout.assets WHERE fingerprint IS NOT NULL AND withdrawn_at IS NULL
    GROUP BY organization_id, payout_id, fingerprint
   HAVING count(*) > 1) AS doubled;

-- one row of history for each document
SELECT abs((SELECT count(*) FROM payout.assets WHERE fingerprint IS NOT NULL)
         - (SELECT count(DISTINCT after ->> 'assetId') FROM payout.history
             WHERE action = 'generate_statement'))
   + (SELECT count(*) FROM payout.history WHERE action = 'generate_statement')
   - (SELECT count(DISTINCT after ->> 'assetId') FROM payout.history
       WHERE action = 'generate_statement');

-- no asset has an intent
SELECT count(*) FROM payout.asset_intents JOIN payout.assets USING (organization_id, id);

-- a comment is about its partner's payout or line
SELECT count(*) FROM payout.comments AS comment
  LEFT JOIN payout.payouts AS payout
         ON payout.organization_id = comment.organization_id AND payout.id = comment.payout_id
  LEFT JOIN payout.commission_lines AS line
         ON line.organization_id = comment.organization_id
        AND line.id = comment.commission_line_id
 WHERE coalesce(payout.partner_id, comment.partner_id) <> comment.partner_id
    OR coalesce(line.partner_id, comment.partner_id) <> comment.partner_id;

-- a thread has one partner and one target, and an internal one has internal comments alone
SELECT count(*) FROM payout.comments AS comment
  JOIN payout.comments AS first
    ON first.organization_id = comment.organization_id AND first.id = comment.thread_id
 WHERE first.thread_id <> first.id
    OR (first.partner_id, first.payout_id, first.commission_line_id)
       IS DISTINCT FROM
       (comment.partner_id, comment.payout_id, comment.commission_line_id)
    OR (first.visibility = 'INTERNAL' AND comment.visibility <> 'INTERNAL');

-- a published version of a form was made
SELECT count(*) FROM payout.forms AS form
 WHERE published_version IS NOT NULL
   AND NOT EXISTS (SELECT FROM payout.form_versions AS made
                    WHERE made.organization_id = form.organization_id AND made.form_id = form.id
                      AND made.version = form.published_version);

-- a conversion's line has the conversion's partner, and each line has one conversion
SELECT (SELECT count(*) FROM payout.conversions AS conversion
          JOIN payout.commission_lines AS line
            ON line.organization_id = conversion.organization_id
           AND line.id = conversion.commission_line_id
         WHERE line.partner_id <> conversion.partner_id)
     + (SELECT count(commission_line_id) - count(DISTINCT (organization_id, commission_line_id))
               FILTER (WHERE commission_line_id IS NOT NULL)
          FROM payout.conversions);

-- a conversion has the partner of its click
SELECT count(*) FROM payout.conversions AS conversion
  LEFT JOIN payout.clicks AS click
         ON click.organization_id = conversion.organization_id AND click.id = conversion.click_id
  LEFT JOIN payout.affiliate_links AS link
         ON link.organization_id = click.organization_id AND link.id = click.link_id
 WHERE link.partner_id IS DISTINCT FROM conversion.partner_id;

-- the line of a reversed conversion is voided or clawed back once, and no other line is
SELECT count(*) FROM (
     SELECT conversion.reversed_at IS NOT NULL AS is_reversed, line.status = 'VOIDED' AS is_voided,
            (SELECT count(*) FROM payout.history AS h
              WHERE h.organization_id = line.organization_id
                AND h.action = 'create_commission_line'
                AND h.after ->> 'clawsBack' = line.id) AS claw_backs
       FROM payout.conversions AS conversion
       JOIN payout.commission_lines AS line
         ON line.organization_id = conversion.organization_id
        AND line.id = conversion.commission_line_id) AS it
 WHERE claw_backs > 1 OR claw_backs = 1 AND NOT is_reversed
    OR is_reversed AND claw_backs = 0 AND NOT is_voided;

-- a line matures at most once
SELECT count(*) FROM (
   SELECT FROM payout.history WHERE action = 'mature_commission_line'
    GROUP BY organization_id, resource_id HAVING count(*) > 1) AS doubled;
