#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines with bonds and bridges, and one at a switch port with a spanning tree.
# Needs root.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

# begin WORDS [QEMU-ARGUMENT...]
begin()
{
	words=$1
	shift
	vm_start "$work/initramfs" \
		"loglevel=4 rw nbdboot.debug root=nbd://192.0.2.1/root $words" "$@"
}

find_kernel
root_tree "$tree" guest/links.sh
copy_program "$tree" fio
truncate -s 256M "$work/ext4"
mke2fs -q -t ext4 -E root_owner=0:0 -d "$tree" "$work/ext4"
initramfs "$work/initramfs" \
	'nbd virtio_net virtio_pci ext4 8021q bonding bridge' | sed 's/^/# /'

# shellcheck source=tests/netns.sh
. "$here/../netns.sh"
# shellcheck source=tests/vm/lan.sh
. "$here/lan.sh"
vm_memory=384
lan_up
tap t6 br0
nbdkit_at 0.0.0.0 file "$work/ext4"
# shellcheck disable=SC2119 # no more options
lan_dhcpd

# ---- a bond ----

vm_taps='t0 t6'
mkfifo "$work/monitor.in" "$work/monitor.out"
in_qemu begin 'bond=bond0:eth0,eth1:mode=active-backup ip=bond0:dhcp test.cut' -S \
	-chardev "pipe,id=monitor,path=$work/monitor" -mon monitor
exec 5<>"$work/monitor.in"
echo cont >&5
if vm_wait 'guest: cut *'; then
	case $line in
	*eth0) leg=t0 ;;
	*) leg=t6 ;;
	esac
	echo "set_link $leg off" >&5
fi
vm_end
ended 'a bond gets a lease, and has two members' \
	'^guest: bond0 192\.0\.2\.[0-9]*/24$' '!^guest: eth[01] [0-9]' \
	'^guest: eth0 is in bond0$' '^guest: eth1 is in bond0$' \
	'^guest: mode active-backup' '^guest: file 10-nbdboot-bond0.network$' \
	'^guest: file 10-nbdboot-eth0.link$' '!10-nbdboot-eth0.network'
ended 'fio goes on without an error when one leg is cut' '!^guest: WRONG' \
	'^guest: went on over eth[01], errors 0$'
exec 5>&-

in_qemu begin 'bond=bond0:eth0,eth1:mode=802.3ad,lacp_rate=fast ip=bond0:dhcp'
vm_end
ended 'LACP without a partner that speaks it' '^guest: mode 802.3ad' \
	'^guest: bond0 192\.0\.2\.[0-9]*/24$'

# ---- each option of the driver, and a leg that only ARP watches ----

# delays before what they depend on, and the mode last: the order is ours
first=arp_validate=all,arp_ip_target=192.0.2.1\;192.0.2.9,arp_interval=500
first=$first,arp_missed_max=4,num_grat_arp=3,primary=eth1,primary_reselect=failure,mode=1
second=mode=1,updelay=200,downdelay=300,peer_notif_delay=400,fail_over_mac=2
second=$second,all_slaves_active=1,resend_igmp=5,num_unsol_na=7
second=$second,primary_reselect=better
third=lacp_rate=fast,ad_select=bandwidth,min_links=1,xmit_hash_policy=layer3+4
third=$third,ad_actor_sys_prio=1000,ad_user_port_key=5,use_carrier=1
third=$third,lacp_active=off,'ad_actor_system=[02:00:00:00:00:77]'
third=$third,mode=802.3ad,miimon=50
sixth=arp_all_targets=all,arp_validate=backup,arp_ip_target=198.51.100.8,mode=1
sixth=$sixth,arp_ip_target=198.51.100.9,arp_interval=200
vm_taps='t0 t6 l2 l3 l4 l5 l6'
for tap in l2 l3 l4 l5 l6; do
	tap $tap
done
begin "bond=bond0:eth0,eth1:$first bond=bond1:eth2:$second \
bond=bond2:eth3:$third bond=bond3:eth4:packets_per_slave=4,mode=balance-rr \
bond=bond4:eth5:lp_interval=3,tlb_dynamic_lb=0,mode=balance-tlb \
bond=bond5:eth6:$sixth ip=bond0:dhcp test.cut"
if vm_wait 'guest: cut *'; then
	case $line in
	*eth0) leg=t0 ;;
	*) leg=t6 ;;
	esac
	at "$srv" ip link set "$leg" down
fi
vm_end
ended 'fio goes on when ARP finds that a leg was cut' '!^guest: WRONG' \
	'^guest: went on over eth[01], errors 0$'
ended 'no option of a bond is refused' '!nbdboot: bond=bond'
# options BOND NAME=VALUE...: as the driver prints them
options()
{
	bond=$1
	shift
	for option; do
		ended "$bond has $option" "^guest: $bond $option"
	done
}
options bond0 'mode=active-backup 1' 'arp_interval=500' 'arp_validate=all 3' \
	'arp_ip_target=192.0.2.1 192.0.2.9' 'num_grat_arp=3' 'primary=eth1' \
	'primary_reselect=failure 2' 'miimon=0' 'arp_missed_max=4'
options bond1 'updelay=200' 'downdelay=300' 'peer_notif_delay=400' \
	'fail_over_mac=follow 2' 'all_slaves_active=1' 'resend_igmp=5' \
	'num_unsol_na=7' 'primary_reselect=better 1' 'miimon=100'
options bond2 'mode=802.3ad 4' 'lacp_rate=fast 1' 'ad_select=bandwidth 1' \
	'min_links=1' 'xmit_hash_policy=layer3+4 1' 'ad_actor_sys_prio=1000' \
	'ad_user_port_key=5' 'use_carrier=1' 'miimon=50' \
	'lacp_active=off 0' 'ad_actor_system=02:00:00:00:00:77'
options bond3 'mode=balance-rr 0' 'packets_per_slave=4'
options bond4 'mode=balance-tlb 5' 'lp_interval=3' 'tlb_dynamic_lb=0'
options bond5 'arp_all_targets=all 1' 'arp_validate=backup 2' \
	'arp_ip_target=198.51.100.8 198.51.100.9' 'arp_interval=200'
at "$srv" ip link set "$leg" up

# ---- a bridge ----

vm_taps='t0 t6'
begin 'bridge=br0:eth0 ip=br0:dhcp'
vm_end
ended 'a bridge' '^guest: br0 192\.0\.2\.[0-9]*/24$' '^guest: eth0 is in br0$'

# ---- a spanning tree ----

# Each state of a port of br0, as the kernel reports it: the port leaves the
# states as soon as the machine ends.
nsenter -t "$srv" -n bridge monitor link >"$work/states" &
monitor=$!
servers="$servers $monitor"
at "$srv" ip link set br0 type bridge stp_state 1 forward_delay 1500
vm_taps=t0
begin 'ip=dhcp'
if vm_wait '*nbdboot: eth0: DHCP message 1'; then
	at "$srv" ip link set t0 down
	at "$srv" ip link set t0 up
fi
vm_end
# its last line: the port leaves the bridge
at "$srv" ip link set t0 nomaster
until grep -q '^Deleted .* t0: ' "$work/states"; do
	runs "$monitor" || die 'bridge monitor has ended'
done
ended 'a port that forwards after 30 s: nobody gives up' \
	'^guest: eth0 192\.0\.2\.[0-9]*/24$' '!given up'
check 'and the lease comes when the port forwards' \
	grep -q ' t0: .* state forwarding ' "$work/states"
grep -o '.*DHCP message.*' "$work/log" | sed 's/^/# /'
finish
