-- By organization: the amount of the payout that the load uses, and the sum of its lines, in cents.
SELECT (payout.amount * 100)::bigint,
       (SELECT coalesce(sum(line.amount) * 100, 0)::bigint FROM commission_lines AS line
         WHERE line.organization_id = payout.organization_id AND line.payout_id = payout.id)
  FROM payouts AS payout
 WHERE payout.id = 'pay_' || substr(payout.organization_id, 5)
 ORDER BY payout.organization_id;
