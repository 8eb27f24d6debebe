-- The address of the node that answers, and the number of its synchronous standbys.
SELECT CASE WHEN NOT pg_is_in_recovery() THEN host(inet_server_addr()) END,
       (SELECT count(*) FROM pg_stat_replication
         WHERE state = 'streaming' AND sync_state = 'sync');
