-- Rows of the partners from $2 up to $3 in organisation $1: all statuses in turn, the attached lines spread over their partner's
-- payouts, times over the two years 2024 and 2025. $4 is the number of partners, $5 of lines, $6 of payouts for each partner.
-- Amounts are exact, and every value follows from the row's number.
INSERT INTO partners (organization_id, id, name, status, created_at, updated_at)
SELECT $1, 'ptn_01BV' || lpad(partner::text, 22, '0'), 'Generated partner ' || partner, 'active',
       timestamptz '2024-01-01 00:00:00Z', timestamptz '2024-01-01 00:00:00Z'
  FROM generate_series($2::bigint, $3::bigint - 1) AS partner;
INSERT INTO payout_batches (organization_id, id, period_start, period_end, created_at)
SELECT $1, 'pbt_01BV' || lpad(number::text, 22, '0'),
       timestamptz '2024-01-01 00:00:00Z', timestamptz '2025-12-31 23:59:59.999Z',
       timestamptz '2025-12-31 23:59:59.999Z'
  FROM generate_series(0, $6::bigint - 1) AS number
 WHERE $2::bigint < $3::bigint
ON CONFLICT DO NOTHING;
INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start, period_end, currency,
                     stage, created_at, updated_at)
SELECT $1, 'pay_01BV' || lpad((partner + $4 * number)::text, 22, '0'),
       'ptn_01BV' || lpad(partner::text, 22, '0'), 'pbt_01BV' || lpad(number::text, 22, '0'),
       timestamptz '2024-01-01 00:00:00Z', timestamptz '2025-12-31 23:59:59.999Z', 'EUR',
       (ARRAY['PAID', 'APPROVED', 'PENDING_REVIEW'])[1 + number % 3],
       timestamptz '2025-12-31 23:59:59.999Z', timestamptz '2025-12-31 23:59:59.999Z'
  FROM generate_series($2::bigint, $3::bigint - 1) AS partner,
       generate_series(0, $6::bigint - 1) AS number;
-- `turn` counts a partner's lines. 7,919 is prime and no divisor of 100,000: every cent from -50.00 to 949.99 comes up equally
-- often.
INSERT INTO commission_lines (organization_id, id, partner_id, payout_id, description, amount,
                              source_amount, currency, status, plan_name, period_end, created_at,
                              updated_at)
SELECT $1, 'cln_01BV' || lpad(number::text, 22, '0'), 'ptn_01BV' || lpad(partner::text, 22, '0'),
       CASE WHEN turn % 10 >= 5
            THEN 'pay_01BV' || lpad((partner + $4 * (turn / 10 % $6))::text, 22, '0') END,
       'Generated line ' || number, (number * 7919 % 100000 - 5000) / 100.0,
       (number * 7919 % 100000) / 10.0, 'EUR',
       (ARRAY['EXPECTED', 'VOIDED', 'PENDING', 'PENDING', 'PENDING', 'IN_PAYOUT', 'IN_PAYOUT',
              'IN_PAYOUT', 'IN_PAYOUT', 'IN_PAYOUT'])[1 + turn % 10],
       'Generated plan', date_trunc('month', moment, 'UTC') + interval '27 days', moment, moment
  FROM (SELECT partner, turn, partner + $4 * turn AS number,
               timestamptz '2024-01-01 00:00:00Z'
                   + (partner + $4 * turn) * 63158400000 / $5 * interval '1 millisecond' AS moment
          FROM generate_series(0, ($5::bigint - 1) / $4::bigint) AS turn,
               generate_series($2::bigint, $3::bigint - 1) AS partner) AS line
 WHERE number < $5;
UPDATE payouts SET amount = total.amount
  FROM (SELECT payout_id, sum(amount) AS amount FROM commission_lines
         WHERE organization_id = $1 AND payout_id IS NOT NULL
           AND partner_id BETWEEN 'ptn_01BV' || lpad($2::bigint::text, 22, '0')
                              AND 'ptn_01BV' || lpad(($3::bigint - 1)::text, 22, '0')
         GROUP BY payout_id) AS total
 WHERE organization_id = $1 AND id = total.payout_id;
