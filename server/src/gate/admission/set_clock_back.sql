WITH clock AS MATERIALIZED (
    SELECT date_trunc('minute', now, 'UTC') AS minute,
           date_trunc('minute', now, 'UTC') + interval '1 minute' AS latest,
           date_trunc('month', now, 'UTC') AS month
      FROM (SELECT service_now() AS now) AS moment
), ahead AS MATERIALIZED (
    SELECT m.organization_id, m.minute, m.minute_used, m.month, m.month_used
      FROM meters AS m, clock
     WHERE m.organization_id = ANY ($1) AND greatest(m.minute, m.month) > clock.latest
     ORDER BY m.organization_id
       FOR UPDATE OF m
)
UPDATE meters AS m
   SET minute = CASE WHEN m.minute > clock.latest THEN clock.minute ELSE m.minute END,
       minute_used = CASE WHEN m.minute > clock.latest THEN 0 ELSE m.minute_used END,
       month = CASE WHEN m.month > clock.latest THEN clock.month ELSE m.month END
  FROM ahead, clock
 WHERE m.organization_id = ahead.organization_id
RETURNING ahead.organization_id, ahead.minute, ahead.minute_used, ahead.month,
          ahead.month_used
