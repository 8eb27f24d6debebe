SELECT u.name, r.rolname::text AS holder,
       CASE WHEN r.rolsuper THEN 'SUPERUSER' WHEN r.rolbypassrls THEN 'BYPASSRLS'
            WHEN r.rolcreaterole THEN 'CREATEROLE' WHEN r.rolcreatedb THEN 'CREATEDB'
            ELSE 'access to files of the database server' END AS attribute
  FROM unnest(ARRAY[current_user::text, session_user::text]) AS u(name)
  JOIN pg_roles r ON pg_has_role(u.name, r.oid, 'MEMBER')
 WHERE r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb
    OR r.rolname IN ('pg_execute_server_program', 'pg_read_server_files',
                     'pg_write_server_files')
 ORDER BY r.rolname <> u.name, r.rolname
 LIMIT 1
