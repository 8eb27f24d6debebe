-- Rules that every version of the schema must satisfy for tenants to stay apart, checked against PostgreSQL's catalog: one row
-- for each object that breaks one. $1 is the app role. Objects are named as in the search path.
-- A table with organization_id forces row-level security, and each of its policies checks the organisation.
SELECT 'forced row-level security' AS rule, object FROM (
SELECT c.relname::text FROM pg_class c
   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
     AND NOT a.attisdropped
  WHERE c.relnamespace = 'payout'::regnamespace AND c.relkind IN ('r', 'p')
    AND (NOT c.relrowsecurity OR NOT c.relforcerowsecurity
         -- Policies add up, so each one counts.
         OR coalesce((
              SELECT bool_or(coalesce(pg_get_expr(p.polqual, p.polrelid), '')
                               !~ '\morganization_id\M'
                         AND coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '')
                               !~ '\morganization_id\M')
                FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive), true))
) AS found (object)
UNION ALL
-- Unique indexes begin with organization_id: else one tenant learns what another has.
SELECT 'unique by organisation' AS rule, object FROM (
SELECT i.indexrelid::regclass::text FROM pg_index i
   JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'payout'::regnamespace
   JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'organization_id'
     AND NOT t.attisdropped
  WHERE i.indisunique AND i.indkey[0] <> t.attnum
) AS found (object)
UNION ALL
-- Foreign keys carry organization_id on both sides: row-level security does not guard them.
SELECT 'foreign key by organisation' AS rule, object FROM (
SELECT k.conname::text FROM pg_constraint k
   JOIN pg_attribute f ON f.attrelid = k.conrelid AND f.attname = 'organization_id'
     AND NOT f.attisdropped
   JOIN pg_attribute t ON t.attrelid = k.confrelid AND t.attname = 'organization_id'
     AND NOT t.attisdropped
  WHERE k.contype = 'f' AND k.connamespace = 'payout'::regnamespace
    AND NOT EXISTS (SELECT FROM unnest(k.conkey, k.confkey) AS pair(here, there)
                     WHERE pair.here = f.attnum AND pair.there = t.attnum)
) AS found (object)
UNION ALL
-- No enum: under row-level security it cannot be an index condition.
SELECT 'no enum' AS rule, object FROM (
SELECT c.relname || '.' || a.attname FROM pg_attribute a
   JOIN pg_class c ON c.oid = a.attrelid AND c.relnamespace = 'payout'::regnamespace
     AND c.relkind IN ('r', 'p')
   JOIN pg_type t ON t.oid = a.atttypid
   LEFT JOIN pg_type e ON e.oid = t.typelem
  WHERE 'e' IN (t.typtype, e.typtype) AND a.attnum > 0 AND NOT a.attisdropped
) AS found (object)
UNION ALL
-- A view is security_invoker: else it reads with its owner's rights.
SELECT 'invoker view' AS rule, object FROM (
SELECT relname::text FROM pg_class
  WHERE relnamespace = 'payout'::regnamespace AND relkind = 'v'
    AND NOT coalesce(reloptions && ARRAY['security_invoker=true', 'security_invoker=on',
                                         'security_invoker=1'], false)
) AS found (object)
UNION ALL
-- No materialised view: it has no row-level security.
SELECT 'no materialised view' AS rule, object FROM (
SELECT relname::text FROM pg_class
  WHERE relnamespace = 'payout'::regnamespace AND relkind = 'm'
) AS found (object)
UNION ALL
-- No SECURITY DEFINER function.
SELECT 'no security definer' AS rule, object FROM (
SELECT oid::regprocedure::text FROM pg_proc
  WHERE pronamespace = 'payout'::regnamespace AND prosecdef
) AS found (object)
UNION ALL
-- The app role has no right that bypasses row-level security. Its attributes and what it owns are checked by every server at its
-- start: `check_role`.
SELECT 'harmless app role' AS rule, object FROM (
 SELECT 'CREATE in the schema payout'
  WHERE has_schema_privilege($1::text, 'payout', 'CREATE')
 -- TRUNCATE ignores policies, a trigger runs with another's rights, a foreign key
 -- reveals what exists.
 UNION ALL SELECT upper(right_) || ' on ' || c.relname
   FROM pg_class c, unnest(ARRAY['truncate', 'trigger', 'references']) AS right_
  WHERE c.relnamespace = 'payout'::regnamespace AND c.relkind IN ('r', 'p')
    AND has_table_privilege($1::text, c.oid, right_)
) AS found (object)
