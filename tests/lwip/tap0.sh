#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the network that nbdboot over lwIP (over.c) expects, in the namespace of
# the caller, and runs a command in it: tap0.sh COMMAND...
#
# The kernel is at the other end of tap0.  It also serves its loopback address
# there, at which the scripts have their servers.
set -e
PATH=$PATH:/sbin:/usr/sbin
ip link set lo up
ip tuntap add tap0 mode tap
ip addr add 10.9.0.1/24 dev tap0
ip addr add fd09::1/64 dev tap0 nodad
ip link set tap0 up
sysctl -q net.ipv4.conf.tap0.route_localnet=1
exec "$@"
