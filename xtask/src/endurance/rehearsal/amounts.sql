-- By organization: the amount of its payout, and the sum of the payout's lines, in cents.
SELECT (payout.amount * 100)::bigint,
       (SELECT coalesce(sum(line.amount) * 100, 0)::bigint FROM commission_lines AS line
         WHERE line.organization_id = payout.organization_id AND line.payout_id = payout.id)
  FROM payouts AS payout ORDER BY payout.organization_id;
