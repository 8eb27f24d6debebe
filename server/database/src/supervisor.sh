# Runs PostgreSQL as long as a process has the other end of the pipe on standard input open.
#
# Arguments: LOG PIPE DISPOSABLE SOCKETS LINGER SIGNAL COMMAND…
# Standard input is the users' pipe, standard output the locked server.lock, released when this shell
# ends.
# DISPOSABLE is a folder to remove at the end, SOCKETS a folder to remove if it is empty; both may be ''.
log=$1 pipe=$2 disposable=$3 sockets=$4 linger=$5 signal=$6
shift 6
exec 3<&0 </dev/null

"$@" >>"$log" 2>&1 3<&- &
server=$!
# Only now: PostgreSQL would inherit an ignored signal.
trap '' INT HUP TERM QUIT

(
    while :; do
        while read -r _; do :; done
        # No users are left. A process that joins during the linger keeps the server running.
        [ "$linger" = 0 ] || sleep "$linger"
        # From here on no process can join. One that joined before is read, or its open pipe is waited for.
        mv -f "$pipe" "$pipe.closing" || break
        read -r _ || break
        mv -f "$pipe.closing" "$pipe"
    done
    # Repeated, because a starting server may not handle signals yet.
    while kill -"$signal" "$server"; do sleep 1; done
) <&3 3<&- >/dev/null 2>&1 &
reader=$!
exec 3<&-

wait "$server"
status=$?
kill -KILL "$reader" 2>/dev/null
wait "$reader" 2>/dev/null
rm -f "$pipe" "$pipe.closing"
[ -z "$sockets" ] || rmdir "$sockets" 2>/dev/null
if [ -n "$disposable" ]; then
    rm -rf "$disposable"
    [ "$status" -ne 0 ] || rm -f "$log"
fi
exit "$status"
