SELECT coalesce(string_agg(DISTINCT relation::regclass::text, ' '), '')
  FROM pg_locks JOIN pg_stat_activity USING (pid)
 WHERE granted AND application_name = 'payout-server migrate'
   AND pg_locks.database = (SELECT oid FROM pg_database
                             WHERE datname = current_database())
   AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
                'AccessExclusiveLock')
   AND relation IN ('partners'::regclass, 'payouts'::regclass, 'meters'::regclass,
                    'commission_lines'::regclass, 'organizations'::regclass)
