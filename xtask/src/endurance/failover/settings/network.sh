# Makes the network of the rehearsal in the namespaces of this shell: a switch, and behind it one
# network namespace for each node, such as `a=10.48.0.1`. /run is replaced by an empty file system
# in memory, which holds everything that the rehearsal writes and ends with these namespaces.
set -eu

mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/netns
ip link set lo up
ip link add name switch type bridge
ip address add "$1/24" dev switch
ip link set switch up
shift
for node in "$@"; do
    name=${node%=*}
    ip netns add "$name"
    ip link add "port-$name" type veth peer name eth0 netns "$name"
    ip link set "port-$name" master switch up
    ip -n "$name" link set lo up
    ip -n "$name" address add "${node#*=}/24" dev eth0
    ip -n "$name" link set eth0 up
done
