-- The organisations $1. Their keys have the hashes $2, the last characters $3 and the API version $4. Row-level security checks
-- each row as it is inserted, when set_config of the same row has named its organisation.
INSERT INTO organizations (id, name)
SELECT id, 'bench ' || substr(id, 9)::bigint FROM unnest($1::text[]) AS id;
INSERT INTO meters (organization_id, requests_per_minute, credits_per_month)
SELECT id, 1000000000, 1000000000000 FROM unnest($1::text[]) AS id;
INSERT INTO partners (organization_id, id, name, status)
SELECT set_config('app.organization_id', id, true), 'ptn_01BE0000000000000000000000',
       'Nordlys Consulting', 'active'
  FROM unnest($1::text[]) AS id;
INSERT INTO payout_batches (organization_id, id, period_start, period_end)
SELECT set_config('app.organization_id', id, true), 'pbt_01BE0000000000000000000000',
       timestamptz '2026-04-01 00:00:00Z', timestamptz '2026-04-30 00:00:00Z'
  FROM unnest($1::text[]) AS id;
INSERT INTO payouts (organization_id, id, partner_id, batch_id, period_start, period_end, currency,
                     stage, po_number, metadata)
SELECT set_config('app.organization_id', id, true), 'pay_' || substr(id, 5),
       'ptn_01BE0000000000000000000000', 'pbt_01BE0000000000000000000000',
       timestamptz '2026-04-01 00:00:00Z', timestamptz '2026-04-30 00:00:00Z', 'EUR',
       'PENDING_REVIEW', 'PO-2026-0042', '{"statementNote": "Payment within 14 days."}'
  FROM unnest($1::text[]) AS id;
INSERT INTO api_keys (organization_id, id, name, hash, last_four, scopes, api_version, expires_at)
SELECT id, 'key_' || substr(id, 5), 'all', hash, last_four,
       ARRAY['partners:read', 'partners:write', 'commissions:read', 'commissions:write'],
       $4, service_now() + interval '1 year'
  FROM unnest($1::text[], $2::bytea[], $3::text[]) AS key (id, hash, last_four);
