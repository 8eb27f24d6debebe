# Runs Postgres for as long as anybody holds the other end of the pipe on standard input.
#
# Arguments: LOG PIPE DOOMED SOCKETS LINGER SIGNAL COMMAND…
# Standard input is the pipe of the users, standard output the locked server.lock: its lock ends with this shell.
# DOOMED is a folder to remove at the end, SOCKETS a folder to remove if it is empty; both may be ''.
log=$1 pipe=$2 doomed=$3 sockets=$4 linger=$5 signal=$6
shift 6
exec 3<&0 </dev/null

"$@" >>"$log" 2>&1 3<&- &
server=$!
# Only now: a signal ignored here would be ignored by Postgres too.
trap '' INT HUP TERM QUIT

(
    while :; do
        while read -r _; do :; done
        # Everybody has let go. Who comes during the linger finds the server as it was.
        [ "$linger" = 0 ] || sleep "$linger"
        # From here on nobody can join. Whoever came before is heard, or holds the pipe and is waited for.
        mv -f "$pipe" "$pipe.closing" || break
        read -r _ || break
        mv -f "$pipe.closing" "$pipe"
    done
    # Again and again, because a server that is still starting may not listen yet.
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
if [ -n "$doomed" ]; then
    rm -rf "$doomed"
    [ "$status" -ne 0 ] || rm -f "$log"
fi
exit "$status"
