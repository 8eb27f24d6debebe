WITH owned AS (
  SELECT nspowner AS owner, 'schema ' || nspname AS object FROM pg_namespace
    WHERE nspname = $1
  UNION ALL SELECT relowner, 'table ' || oid::regclass FROM pg_class
   WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
  UNION ALL SELECT proowner, 'function ' || oid::regprocedure FROM pg_proc
   WHERE pronamespace = to_regnamespace($1))
SELECT u.name, r.rolname::text, o.object
  FROM unnest(ARRAY[current_user::text, session_user::text]) AS u(name)
  JOIN pg_roles r ON pg_has_role(u.name, r.oid, 'MEMBER')
  JOIN owned o ON o.owner = r.oid
 ORDER BY o.object
 LIMIT 1
