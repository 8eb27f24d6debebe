-- pgbench cannot store the text of a thousand keys, so each organisation gets a second key whose
-- hash follows from its number. One organisation may get more than a million requests a minute.
INSERT INTO api_keys (organization_id, id, name, hash, last_four, scopes, api_version,
                      expires_at)
SELECT organization_id, 'key_01BF' || substr(id, 9), 'pgbench',
       sha256(('bench' || substr(id, 9)::bigint)::bytea), 'none',
       ARRAY['commissions:read', 'commissions:write'], 'v1', service_now() + interval '1 year'
  FROM payouts;
UPDATE meters SET requests_per_minute = 2000000000;
