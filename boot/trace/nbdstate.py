#!/usr/bin/env drgn
# SPDX-License-Identifier: BSD-2-Clause
"""
nbdstate - what the nbd driver is doing, from a live kernel or a memory dump.

    nbdstate.py                                the running kernel, by drgn
    drgn -c DUMP -s SYMBOLS nbdstate.py        a dump, by drgn
    gdb -batch -x nbdstate.py SYMBOLS DUMP     by gdb; DUMP may be /proc/kcore

It prints devices, connections with the queues of their sockets, and the
requests in flight.  It needs nothing that still works in the machine, but the
kernel's debug symbols, or a file of nbdstate-symbols.  Tested with Linux 6.1.
"""
import socket
import struct

# What the two debuggers have in common is enough for the rest of this file:
# fields are value["name"], and elements value[0].
try:
    import gdb

    def variable(name):
        return gdb.parse_and_eval(name)

    def pointer(type_name, address):
        kind = gdb.lookup_type(type_name).pointer()
        return gdb.Value(address).cast(kind)

    def field(value, name):
        return value[name]
except ImportError:
    from drgn import Object

    def variable(name):
        return prog[name]

    def pointer(type_name, address):
        return Object(prog, type_name + " *", address)

    def field(value, name):
        return value.member_(name)

IN_FLIGHT = 1  # MQ_RQ_IN_FLIGHT
AF_INET, AF_INET6 = 2, 10
COMMANDS = {0: "read", 1: "write", 2: "flush", 3: "discard", 9: "write-zeroes"}


def get(value, *names):
    """A field of a field ..."""
    for name in names:
        value = field(value, name)
    return value


def number(value, *names):
    return int(get(value, *names))


def idr_entries(idr):
    """The pointers in a struct idr, in order."""
    todo = [number(idr, "idr_rt", "xa_head")]
    while todo:
        entry = todo.pop()
        if entry & 3 == 2 and entry > 4096:
            slots = get(pointer("struct xa_node", entry - 2), "slots")
            todo += [int(slots[i]) for i in range(63, -1, -1)]
        elif entry and entry & 3 == 0:
            yield entry


def endpoint(sk):
    """The two ends of a connection, as `nbdboot status` prints them."""
    common = get(sk, "__sk_common")
    family = number(common, "skc_family")
    inet = pointer("struct inet_sock", int(sk))
    if family == AF_INET:
        packed = struct.pack("=I", number(common, "skc_daddr"))
    elif family == AF_INET6:
        words = get(common, "skc_v6_daddr", "in6_u", "u6_addr32")
        packed = struct.pack("=4I", *(int(words[i]) for i in range(4)))
    else:
        return "UNIX socket"
    return (f"{socket.inet_ntop(family, packed)}"
            f" port {socket.ntohs(number(common, 'skc_dport'))}"
            f" from port {socket.ntohs(number(inet, 'inet_sport'))}")


def queues(sk):
    """How many bytes wait to be sent, to be acknowledged and to be read."""
    if number(sk, "__sk_common", "skc_family") not in (AF_INET, AF_INET6):
        return f"{number(sk, 'sk_receive_queue', 'qlen')} packets unread"
    tcp = pointer("struct tcp_sock", int(sk))

    def between(end, start):
        return number(tcp, end) - number(tcp, start) & 0xffffffff

    return (f"{between('write_seq', 'snd_nxt')} unsent, "
            f"{between('snd_nxt', 'snd_una')} unacknowledged, "
            f"{between('rcv_nxt', 'copied_seq')} unread")


def print_connections(config):
    nsocks = [get(config, "socks")[i]
              for i in range(number(config, "num_connections"))]
    dead = sum(number(nsock, "dead") for nsock in nsocks)
    print(f"{len(nsocks) - dead} live, {dead} dead")
    for nsock in nsocks:
        state = "dead" if number(nsock, "dead") else "live"
        sk = get(nsock, "sock", "sk")
        print(f"  {state:6}{endpoint(sk)}, {queues(sk)}")


def print_request(rq, queue, tag, jiffies, hz):
    # the driver's data of a request follows it
    cmd = pointer("struct nbd_cmd", int(rq + 1))
    operation = number(rq, "cmd_flags") & 0xff
    cookie = number(cmd, "cmd_cookie") << 32 | queue << 16 | tag
    timeout = number(rq, "timeout")
    # without a time-out of the device, the timer runs anew when it ends
    age = (jiffies - number(rq, "deadline") + timeout
           + timeout * number(cmd, "retries"))
    print(f"  {COMMANDS.get(operation, operation)}"
          f" of {number(rq, '__data_len')}"
          f" at sector {number(rq, '__sector')},"
          f" connection {number(cmd, 'index')},"
          f" sent {age / hz:.2f} s ago, cookie {cookie:#018x}")


def print_requests(nbd, jiffies, hz):
    tag_set = get(nbd, "tag_set")
    for queue in range(number(tag_set, "nr_hw_queues")):
        tags = get(tag_set, "tags")[queue]
        for tag in range(number(tags, "nr_tags")):
            rq = get(tags, "rqs")[tag]
            # entries of requests that are done remain
            if int(rq) and number(rq, "state") == IN_FLIGHT \
                    and number(rq, "tag") == tag:
                print_request(rq, queue, tag, jiffies, hz)


def main():
    jiffies = int(variable("jiffies_64"))
    hz = round(1e9 / int(variable("tick_nsec")))
    for entry in idr_entries(variable("nbd_index_idr")):
        nbd = pointer("struct nbd_device", entry)
        config = get(nbd, "config")
        if not int(config):
            continue
        print(f"nbd{number(nbd, 'index')}: ", end="")
        print_connections(config)
        print_requests(nbd, jiffies, hz)


main()
