#!/bin/bash
# Installs, starts, upgrades and purges the Debian package in a copy of this machine's file system
# that is thrown away: rehearsal.sh PACKAGE, in a mount and a process namespace of its own
# (`unshare --mount --pid --fork`). `cargo xtask dist --rehearse` does both.
set -euo pipefail

step() { echo "rehearsal: $*"; }
fail() { echo "rehearsal: FAILED: $*" >&2; exit 1; }

package=$(realpath "$1")
layer=$(mktemp --directory)
mount -t tmpfs none "$layer"
mkdir "$layer"/{upper,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" "$layer/root"
mount -t proc none /proc
mount -t proc none "$layer/root/proc"
mount --bind /dev "$layer/root/dev"
cp "$package" "$layer/root/package.deb"
inside() { chroot "$layer/root" "$@"; }

step "install"
inside dpkg --install --force-depends /package.deb >/dev/null
[ "$(inside stat --format '%U %a' /var/lib/payout-server)" = "payout-server 700" ] || fail "the folder of the data"
[ "$(inside stat --format '%U:%G %a' /etc/payout-server/environment)" = "root:payout-server 640" ] || fail "the settings"
inside payoutctl --version
inside test -e /usr/share/man/man1/payout-server.1.gz || fail "the manual page"

step "security of the units"
for unit in "$layer"/root/usr/lib/systemd/system/payout-*.service; do
    inside systemd-analyze security --offline=true --threshold=20 --no-pager "/usr/lib/systemd/system/$(basename "$unit")" |
        tail -1
done

step "start, on a PostgreSQL of its own"
cat >>"$layer/root/etc/payout-server/environment" <<SETTINGS
PAYOUT_LISTEN=127.0.0.1:18080
PAYOUT_HEALTH_LISTEN="127.0.0.1:18081"
SETTINGS
inside payoutctl migrate >/dev/null
inside payoutctl organizations create --name "Example Ltd" >/dev/null 2>&1
start() {
    inside payoutctl serve >/dev/null 2>/tmp/log &
    server=$!
    for _ in $(seq 300); do
        inside payoutctl ready 2>/dev/null && return
        kill -0 $server || fail "the server ended: $(tail -3 /tmp/log)"
        sleep 0.1
    done
    fail "the server is not ready"
}
stop() {
    pkill -TERM --exact payout-server
    wait $server || fail "the server ended with $?"
}
start
stop

step "upgrade: settings and data stay"
echo "PAYOUT_WORKER_THREADS=3" >>"$layer/root/etc/payout-server/environment"
inside dpkg --install --force-depends --force-confold /package.deb >/dev/null
grep -q "PAYOUT_WORKER_THREADS=3" "$layer/root/etc/payout-server/environment" || fail "the settings were replaced"
start
inside payoutctl organizations list | grep -q "Example Ltd" || fail "the organisation is lost"
stop

step "purge: the programs and the settings go, the data stays"
inside dpkg --purge payout-server >/dev/null
for path in /usr/bin/payout-server /etc/payout-server/environment /usr/lib/systemd/system/payout-server.service; do
    inside test ! -e "$path" || fail "$path is still there"
done
inside test -d /var/lib/payout-server || fail "the data is lost"
step "passed"
