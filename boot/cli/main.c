/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot: a table of subcommands. */
#include "boot/cli/cli.h"

#include <string.h>
#include <unistd.h>

const struct command cli_commands[] = {
	{ "connect", cmd_connect,
	  "[-c CONNECTIONS] " CLI_SLOTS_USAGE "[-n NAME] [-p PORT] [-d nbdN]\n"
	  "\t[-b BLOCKSIZE] [-R] [-t IO_TIMEOUT] [-D DEAD_TIMEOUT]\n"
	  "\t" CLI_TLS_USAGE "URI|HOST|/SOCKET...",
	  "connect to an NBD server, print the device: nbd0\n"
	  "-c N  that many connections (1)\n" CLI_SLOTS_HELP
	  "-n    export name (the default export)\n"
	  "-p    port (10809)\n"
	  "-d    this device (the first free one)\n"
	  "-b    block size, 512 to 4096 (the server's, or 512)\n"
	  "-R    read-only\n"
	  "-t    seconds until a request without an answer goes to another\n"
	  "      connection (30)\n"
	  "-D    seconds that I/O waits while no connection lives (years)\n" CLI_TLS_HELP },
	{ "disconnect", cmd_disconnect, "[-f] nbdN",
	  "disconnect a device\n"
	  "-f  even if it is mounted or open\n" },
#ifdef CONFIG_BOOT_RECONNECT
	{ "reconnect", cmd_reconnect, "[-r SECONDS] nbdN",
	  "new connections in place of those that died\n"
	  "-r  seconds between tries, 0: only one (5)\n" },
#ifdef CONFIG_BOOT_WATCH
	{ "watch", cmd_watch, "[nbdN...]",
	  "stay, and bring back connections that die (of all devices)\n" },
#endif
	{ "scale", cmd_scale, "-c CONNECTIONS nbdN",
	  "more or fewer connections, while the device is in use\n"
	  "-c  so many, up to what `connect -m` made room for\n" },
	{ "rotate", cmd_rotate, "nbdN",
	  "replace each connection by a new one, one after the other\n" },
	{ "status", cmd_status, "[nbdN...]",
	  "show the connections of devices, and which of them live\n" },
#endif
#ifdef CONFIG_BOOT_LIST
	{ "list", cmd_list, "[-a] [--json] [nbdN...]",
	  "show connected devices\n"
	  "-a      those not connected too\n"
	  "--json  for programs\n" },
#endif
#ifdef CONFIG_BOOT_EXPORTS
	{ "exports", cmd_exports,
	  "[-p PORT] [--json] " CLI_TLS_USAGE "URI|HOST|/SOCKET",
	  "list a server's exports: NAME<TAB>DESCRIPTION\n"
	  "-p    port (10809)\n"
	  "--json  for programs\n" CLI_TLS_HELP },
#endif
#ifdef CONFIG_BOOT_INFO
	{ "info", cmd_info,
	  "[--json] [--map] [--latency] [-S] [-n NAME] [-p PORT]\n\t" CLI_TLS_USAGE
	  "URI|HOST|/SOCKET",
	  "show what a server says of an export\n"
	  "--json     for programs\n"
	  "--map      what is data, hole and zero: START LENGTH TYPE\n"
	  "--latency  and how long requests take (256 reads)\n"
	  "-S         simple replies only\n" CLI_TLS_HELP
	  "-n         export name (the default export)\n"
	  "-p         port (10809)\n" },
#endif
#ifdef CONFIG_BOOT_COPY
	{ "copy", cmd_copy,
	  "[-c CONNECTIONS] [-q DEPTH] [--destination-is-zero] [--progress]\n"
	  "\t[--verify] [--latency] [-S] " CLI_TLS_USAGE "SRC DST",
	  "copy a disk image; SRC and DST are URIs, files, block devices or -\n"
	  "-c N                   connections to each server (4 if allowed)\n"
	  "-q DEPTH               pieces in flight (8)\n"
	  "--destination-is-zero  DST holds zeroes: do not write them\n"
	  "--progress             tell how far it is, also to a file\n"
	  "--verify               read both back and compare\n"
	  "--latency              print how long requests took\n"
	  "-S                     simple replies\n" CLI_TLS_HELP },
#endif
#ifdef CONFIG_BOOT_MODULES
	{ "load", cmd_load, "", "load the kernel's nbd module\n" },
	{ "unload", cmd_unload, "", "unload it\n" },
#endif
#ifdef CONFIG_BOOT_INIT
	{ "switch-root", cmd_switch_root,
	  "[-c CONSOLE] NEWROOT [INIT [ARG...]]",
	  "make NEWROOT the root and become INIT (/sbin/init)\n"
	  "-c  open CONSOLE as standard input, output and error\n" },
	{ "modprobe", cmd_modprobe, "[-q] [--] MODULE|ALIAS",
	  "load a kernel module with what it needs, as the kernel asks for it\n"
	  "-q  without a message\n" },
#ifdef CONFIG_BOOT_TIMES
	{ "boot-time", cmd_boot_time, "[--svg] [FILE]",
	  "show how long each step of the boot took\n"
	  "--svg  as a chart\n" },
#endif
#ifdef CONFIG_BOOT_SHUTDOWN
	{ "shutdown", cmd_shutdown, "reboot|poweroff|halt|kexec",
	  "as process 1, from /run/initramfs: unmount, disconnect, and do it\n" },
#endif
	{ "init", cmd_init, "",
	  "PID 1 of an initramfs: find the root on the kernel command line,\n"
	  "connect, mount, switch\n" },
#endif
#ifdef CONFIG_BOOT_DIALECTS
	{ "parse-root", cmd_parse_root,
	  "[-m MAC] [-r ROOTPATH] [-s SERVER] STRING...",
	  "show what words of a kernel command line say of the root, as\n"
	  "KEY='VALUE' lines for eval\n"
	  "-m  %m in names of exports (that of the first link)\n"
	  "-r  DHCP's root-path\n"
	  "-s  the address of DHCP's boot server\n" },
#endif
#ifdef CONFIG_BOOT_DHCP
	{ "ifup", cmd_ifup, "[-v] [WORD...] | -r",
	  "bring the network up as init does; WORDs are those of the kernel\n"
	  "command line: ip=dhcp, nameserver=, vlan= ...\n"
	  "-r  renew the lease, print the seconds until the next time\n"
	  "-v  tell each step\n" },
#endif
#ifdef CONFIG_BOOT_RENEW
	{ "renew", cmd_renew, "", "stay, and renew the lease of the root\n" },
#endif
	{ "help", cmd_help, "[COMMAND]", "explain a command\n" },
	{ "version", cmd_version, "", "print the version\n" },
};
const unsigned cli_n_commands = sizeof(cli_commands) / sizeof(cli_commands[0]);

const struct command *cli_find(const char *name)
{
	for (unsigned i = 0; i < cli_n_commands; i++)
		if (!strcmp(cli_commands[i].name, name))
			return &cli_commands[i];
	return NULL;
}

char *cli_self;

/*
 * By its own name (a link: /sbin/modprobe), as process 1, or by its first
 * word.  What the kernel hands to process 1 is for the real init, unless it
 * is an initramfs script that ends with `exec nbdboot switch-root`.
 */
int main(int argc, char *argv[])
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const struct command *c = NULL;
	const char *word = argc > 1 ? argv[1] : "";

	cli_self = argc ? argv[0] : NULL;
	if (argc)
		c = cli_find(slash ? slash + 1 : argv[0]);
	if (!c && getpid() == 1 && strcmp(word, "switch-root") != 0)
		c = cli_find("init");
	if (c)
		return c->run(argc, argv);
	c = cli_find(word);
	if (c)
		return c->run(argc - 1, argv + 1);
	return word[0] ? cli_usage("", "no command %s", word)
		       : cli_usage("", "which command?");
}
