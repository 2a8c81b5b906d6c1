/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command lines of nbd-client(8) and the lines of nbdtab(5), in every form
 * that their manuals have, and what each leads to.
 */
#include "boot/cli/nbd_client.h"
#include "boot/cli/behind.h"
#include "tests/guard.h"
#include "tests/unit.h"
#include "tests/world/nbdk.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct cli_nbd_client o;
static struct nbd_diag d;
static char found[1024];
static char message[1024];

static const char *const verbs[] = { "connect", "table", "disconnect",
				     "check",	"list",	 "version",
				     "help" };

__attribute__((format(printf, 1, 2))) static void add(const char *fmt, ...)
{
	size_t len = strlen(found);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(found + len, sizeof(found) - len, fmt, ap);
	va_end(ap);
}

static void add_text(const char *key, const char *value)
{
	if (value)
		add(" %s=%s", key, value);
}

static void add_number(const char *key, long value, long not_given)
{
	if (value != not_given)
		add(" %s=%ld", key, value);
}

/* Everything that was given, in the order of the struct. */
static void describe(void)
{
	const struct attach *a = &o.to.at;
	const struct {
		const char *key;
		bool yes;
	} flags[] = {
		{ "ro", a->read_only },	  { "swap", a->b.swap },
		{ "list", o.list },	  { "unix", o.is_unix },
		{ "tls", o.tls },	  { "persist", o.persist },
		{ "mark", o.mark },	  { "foreground", o.foreground },
		{ "ioctl", o.ioctl },	  { "no-go", a->b.no_go },
		{ "preinit", o.preinit }, { "sdp", o.sdp },
	};

	add_text("host", o.host);
	add_text("name", o.to.server.name);
	add_number("port", o.to.server.port, 0);
	add_number("device", a->index, -1);
	add_number("connections", a->b.connections, 1);
	add_number("block", a->block_size, 0);
	add_number("timeout", a->io_timeout, -1);
	add_number("dead", a->b.dead_timeout, -1);
	add_text("ca", o.to.server.files.ca);
	add_text("cert", o.to.server.files.cert);
	add_text("key", o.to.server.files.key);
	add_text("check", o.check);
	add_text("disconnect", o.disconnect);
	add_text("identifier", o.identifier);
	add_text("priority", o.priority);
	add_text("size", o.size);
	add_text("hostname", o.tls_hostname);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].yes)
			add(" %s", flags[i].key);
}

/* Sends standard error to `message` until unhush(). */
static int hushed, heard;

static void hush(void)
{
	hushed = dup(2);
	heard = memfd_create("stderr", 0);
	assert_return_code(dup2(heard, 2), 0);
}

static void unhush(void)
{
	ssize_t len = pread(heard, message, sizeof(message) - 1, 0);

	dup2(hushed, 2);
	close(hushed);
	close(heard);
	assert_true(len >= 0);
	message[len] = '\0';
}

/* Parses words with blanks between them; the result is in `found`. */
static void parse(const char *line)
{
	static char text[512];
	char *argv[32] = { "nbd-client" }, *rest = text;
	int n = 1, verb;

	assert_true(strlen(line) < sizeof(text));
	strcpy(text, line);
	while ((argv[n] = strsep(&rest, " ")))
		if (*argv[n])
			n++;
	memset(&o, 0, sizeof(o));
	d.text[0] = found[0] = '\0';
	hush();
	verb = cli_nbd_client_parse(&o, argv, &d);
	unhush();
	if (verb >= 0) {
		add("%s", verbs[verb]);
		describe();
	} else {
		assert_int_equal(verb, NBD_E_USAGE);
		/* exactly one of the two says why */
		assert_true(!d.text[0] == !!message[0]);
		add("%s", d.text[0] ? d.text : message);
	}
}

static void each_documented_form_has_its_meaning(void **state)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		/* the forms of the synopsis */
		{ "h /dev/nbd0", "connect host=h device=0" },
		{ "h 2000 /dev/nbd0", "connect host=h port=2000 device=0" },
		{ "-N x h", "connect host=h name=x" },
		{ "-N x h nbd3", "connect host=h name=x device=3" },
		{ "h 2000 -N x", "connect host=h name=x port=2000" },
		{ "-unix /s /dev/nbd0", "connect host=/s device=0 unix" },
		{ "-u /s /dev/nbd0 -name x",
		  "connect host=/s name=x device=0 unix" },
		{ "::1 /dev/nbd0", "connect host=::1 device=0" },
		{ "nbd://h/x /dev/nbd0", "connect host=nbd://h/x device=0" },
		{ "nbd+unix:///?socket=/s nbd1",
		  "connect host=nbd+unix:///?socket=/s device=1" },
		{ "nbd7", "table host=nbd7" },
		{ "/dev/nbd7", "table host=/dev/nbd7" },
		{ "-d /dev/nbd0", "disconnect disconnect=/dev/nbd0" },
		{ "-disconnect nbd0", "disconnect disconnect=nbd0" },
		{ "-c /dev/nbd0", "check check=/dev/nbd0" },
		{ "-check /dev/nbd0", "check check=/dev/nbd0" },
		{ "-l h", "list host=h list" },
		{ "-l h 2000", "list host=h port=2000 list" },
		{ "-list h", "list host=h list" },
		{ "-u /s -l", "list host=/s list unix" },
		{ "-V", "version" },
		{ "-version", "version" },
		{ "-h", "help" },
		{ "--help", "help" },
		/* each option, by its names and its letter */
		{ "--name x h", "connect host=h name=x" },
		{ "--name=x h", "connect host=h name=x" },
		{ "-name=x h", "connect host=h name=x" },
		{ "-Nx h", "connect host=h name=x" },
		{ "-na x h", "connect host=h name=x" },
		{ "-block-size 1024 h", "connect host=h block=1024" },
		{ "-b 1024 h", "connect host=h block=1024" },
		{ "-b1024 h", "connect host=h block=1024" },
		{ "-connections 4 h", "connect host=h connections=4" },
		{ "-C 4 h", "connect host=h connections=4" },
		{ "-C4 h", "connect host=h connections=4" },
		{ "-persist h", "connect host=h persist" },
		{ "-p h", "connect host=h persist" },
		{ "-swap h", "connect host=h swap" },
		{ "-s h", "connect host=h swap" },
		{ "-timeout 3 h", "connect host=h timeout=3" },
		{ "-t 3 h", "connect host=h timeout=3" },
		{ "-dead-timeout 9 h", "connect host=h dead=9" },
		{ "-T 9 h", "connect host=h dead=9" },
		{ "-readonly h", "connect host=h ro" },
		{ "-R h", "connect host=h ro" },
		{ "-systemd-mark h", "connect host=h mark" },
		{ "-m h", "connect host=h mark" },
		{ "-nofork h", "connect host=h foreground" },
		{ "-n h", "connect host=h foreground" },
		{ "-nonetlink h", "connect host=h ioctl" },
		{ "-L h", "connect host=h ioctl" },
		{ "-identifier i h", "connect host=h identifier=i" },
		{ "-i i h", "connect host=h identifier=i" },
		{ "-preinit h", "connect host=h preinit" },
		{ "-P h", "connect host=h preinit" },
		{ "-no-optgo h", "connect host=h no-go" },
		{ "-g h", "connect host=h no-go" },
		{ "-size 4096 h", "connect host=h size=4096" },
		{ "-B 4096 h", "connect host=h size=4096" },
		{ "-enable-tls h", "connect host=h tls" },
		{ "-x h", "connect host=h tls" },
		{ "-certfile c h", "connect host=h cert=c" },
		{ "-F c h", "connect host=h cert=c" },
		{ "-keyfile k h", "connect host=h key=k" },
		{ "-K k h", "connect host=h key=k" },
		{ "-cacertfile a h", "connect host=h ca=a" },
		{ "-A a h", "connect host=h ca=a" },
		{ "-tlshostname n h", "connect host=h hostname=n" },
		{ "-H n h", "connect host=h hostname=n" },
		{ "-priority p h", "connect host=h priority=p" },
		{ "-y p h", "connect host=h priority=p" },
		{ "-sdp h", "connect host=h sdp" },
		{ "-S h", "connect host=h sdp" },
		/* letters in one word, options after operands, the end of all */
		{ "-psm h", "connect host=h swap persist mark" },
		{ "-pNx h", "connect host=h name=x persist" },
		{ "h nbd0 -p", "connect host=h device=0 persist" },
		{ "-p -- h nbd0", "connect host=h device=0 persist" },
		{ "-- -h", "connect host=-h" },
		/* from before there were options */
		{ "h 2000 /dev/nbd0 bs=512 timeout=3",
		  "connect host=h port=2000 device=0 block=512 timeout=3" },
		{ "bs=512 h nbd0", "connect host=h device=0 block=512" },
		/* what scripts call: Debian, dracut, mkinitcpio, LTSP */
		{ "10.0.2.2 -N root 10809 /dev/nbd0 -swap -persist "
		  "-systemd-mark -b 512",
		  "connect host=10.0.2.2 name=root port=10809 device=0 "
		  "block=512 swap persist mark" },
		{ "-p -systemd-mark 10.0.2.2 2000 /dev/nbd0",
		  "connect host=10.0.2.2 port=2000 device=0 persist mark" },
		{ "-p -systemd-mark fec0::2 -name a.b /dev/nbd0",
		  "connect host=fec0::2 name=a.b device=0 persist mark" },
		{ "10.0.2.2 10809 -N x -systemd-mark -persist /dev/nbd0",
		  "connect host=10.0.2.2 name=x port=10809 device=0 "
		  "persist mark" },
		{ "10.0.2.2 -N x /dev/nbd0 -readonly -timeout 7",
		  "connect host=10.0.2.2 name=x device=0 timeout=7 ro" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(cases[i].line);
		if (strcmp(found, cases[i].want) != 0)
			fail_msg("%s\nis    %s\nnot   %s", cases[i].line, found,
				 cases[i].want);
	}
}

static void each_mistake_is_named(void **state)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{ "", "missing HOST or nbdN" },
		{ "-p", "missing HOST or nbdN" },
		{ "-l", "missing HOST or nbdN" },
		{ "h p d", "p is not the name of an nbd device" },
		{ "h 99999 nbd0", "99999 is not a port from 1 to 65535" },
		{ "h 10x nbd0", "10x is not a port" },
		{ "h 1 nbd0 more", "extra operand \"more\"" },
		{ "h 0 nbd0", "0 is not the name of an nbd device" },
		{ "h nbd0p1", "nbd0p1 is not the name of an nbd device" },
		{ "foo=3 h", "unknown option foo=3" },
		{ "h conns=3", "unknown option conns=3" },
		{ "h bs=100", "bs: 100 is not a number from 512 to 4096" },
		{ "-zz h", "unknown option -zz" },
		{ "--zz h", "unknown option --zz" },
		{ "--p h", "unknown option --p" },
		{ "-no h", "unknown option -o" },
		{ "--=x h", "unknown option --" },
		{ "-N", "option -N needs a value" },
		{ "-name", "option -name needs a value" },
		{ "-persist=1 h", "option -persist takes no value" },
		{ "-b 100 h", "-b: 100 is not a number from 512 to 4096" },
		{ "-C 0 h", "-C: 0 is not a number from 1 to 16" },
		{ "-t -1 h", "-t: -1 is not a number" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(cases[i].line);
		if (!strstr(found, cases[i].want))
			fail_msg("\"%s\" says: %s\nnot   %s", cases[i].line,
				 found, cases[i].want);
	}
}

static void options_complete_each_other(void **state)
{
	(void)state;
	parse("h -K k");
	assert_int_equal(cli_nbd_client_check(&o, &d), 0);
	assert_string_equal(o.to.server.files.cert, "k");
	/* nobody would end an outage: an error, as of nbd-client */
	assert_int_equal(o.to.at.b.dead_timeout, 0);
	assert_false(o.to.at.identity);
	parse("h -p -t 0 -R");
	assert_int_equal(cli_nbd_client_check(&o, &d), 0);
	assert_int_equal(o.to.at.b.dead_timeout, ATTACH_DEFAULT);
	assert_int_equal(o.to.at.io_timeout, ATTACH_DEFAULT);
	assert_true(o.to.at.identity);
	assert_false(o.tls);
	/* each asks for TLS, also of a URI without an "s" */
	for (const char *c = "AFKHx"; *c; c++) {
		char line[] = "nbd://h/x -? f";

		line[11] = *c;
		parse(line);
		assert_int_equal(cli_nbd_client_check(&o, &d), 0);
		assert_true(o.tls);
	}
	parse("h -p -T 9");
	assert_int_equal(cli_nbd_client_check(&o, &d), 0);
	assert_int_equal(o.to.at.b.dead_timeout, 9);
}

static void what_cannot_be_is_refused_with_a_reason(void **state)
{
	(void)state;
	parse("-S h nbd0");
	assert_int_equal(cli_nbd_client_check(&o, &d), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "Sockets Direct Protocol"));
	parse("-P -B 4096 h nbd0");
	assert_int_equal(cli_nbd_client_check(&o, &d), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "-preinit"));
	/* a device's URI has it, and a watcher could not read that again */
	parse("-H a/b h nbd0");
	assert_int_equal(cli_nbd_client_check(&o, &d), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "-tlshostname a/b: not a host name"));
	parse("-H a.b h nbd0");
	assert_int_equal(cli_nbd_client_check(&o, &d), 0);
}

/* ---- nbdtab ---- */

static int find(int index, char *text)
{
	int rc;

	memset(&o, 0, sizeof(o));
	o.to.at.index = index;
	o.to.at.b.connections = 1;
	o.to.at.io_timeout = o.to.at.b.dead_timeout = -1;
	d.text[0] = found[0] = '\0';
	hush();
	rc = cli_nbdtab_find(&o, text, &d);
	unhush();
	if (rc)
		add("%s", d.text);
	else
		describe();
	return rc;
}

static const char table[] =
	"# a comment\n"
	"\n"
	"nbd0 h x\n"
	"/dev/nbd1 h x bs=1024,conns=4,timeout=3,dead-timeout=9,port=2000,"
	"swap,persist,no_optgo,preinit,priority=p\n"
	"nbd2\t/run/s \t x  unix,_netdev,_comment=1\n"
	"nbd3 h x tls,cacertfile=a,certfile=c,keyfile=k,tlshostname=n\n"
	"nbd4 nbd://i/y - read-only,block-size=512,connections=2\n"
	"nbd5 h x ca=a,cert=c,key=k\r\n"
	"nbd0 second line\n"
	"nbd6 h\n"
	"nbd7 h x what,bs=512\n"
	"nbd8 h x bs=100\n"
	"  nbd9 h x\n"
	"nbd11 h x bs=512 swap\n"
	"nbd12 h x bs=512 # a comment\n"
	"nbd14 h x # a comment\n"
	"nbd15 h x\t#comment\n"
	"nbd16 h x readonly,sdp\n"
	"nbd10 h x port";

static const struct {
	int index;
	const char *want, *said;
} lines[] = {
	{ 0, " host=h name=x device=0", "" },
	{ 1,
	  " host=h name=x port=2000 device=1 connections=4 block=1024 "
	  "timeout=3 dead=9 priority=p swap persist no-go preinit",
	  "" },
	{ 2, " host=/run/s name=x device=2 unix", "" },
	{ 3, " host=h name=x device=3 ca=a cert=c key=k hostname=n tls", "" },
	{ 4, " host=nbd://i/y device=4 connections=2 block=512 ro", "" },
	{ 5, " host=h name=x device=5 ca=a cert=c key=k", "" },
	{ 6, "line 10: not \"DEVICE HOST EXPORT [OPTION,...]\"", "" },
	{ 7, " host=h name=x device=7 block=512",
	  "nbdboot: nbdtab: unknown option what (it has no effect)\n" },
	{ 8, "line 12: wrong option", "bs: 100 is not a number" },
	{ 9, " host=h name=x device=9", "" },
	{ 10, "line 19: wrong option", "option port needs a value" },
	{ 11, "line 14: unexpected text behind the options: swap", "" },
	{ 12, " host=h name=x device=12 block=512", "" },
	{ 13, "no line for nbd13", "" },
	{ 14, " host=h name=x device=14", "" },
	{ 15, " host=h name=x device=15", "" },
	{ 16, " host=h name=x device=16 ro sdp", "" },
};

static void each_line_of_nbdtab_has_its_meaning(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char text[sizeof(table)];

		memcpy(text, table, sizeof(table));
		find(lines[i].index, text);
		assert_string_equal(found, lines[i].want);
		if (lines[i].said[0])
			assert_non_null(strstr(message, lines[i].said));
		else
			assert_string_equal(message, "");
	}
}

/* A table that ends anywhere, flush against an unreadable page. */
static void nbdtab_may_end_anywhere(void **state)
{
	struct guard g = guard_new(sizeof(table));

	(void)state;
	for (size_t len = 0; len < sizeof(table); len++)
		for (int index = 0; index < 3; index++) {
			char *text = guard_end(&g, len + 1);

			memcpy(text, table, len);
			text[len] = '\0';
			find(index, text);
		}
	guard_free(&g);
}

/* ---- a device, and its watcher ---- */

extern const struct command cmd_nbd_client;
static unsigned watched; /* ... by so many watchers */

int __wrap_device_attach(const struct attach *a, struct device_signals *held,
			 struct nbd_diag *dg);
int __wrap_device_attach(const struct attach *a, struct device_signals *held,
			 struct nbd_diag *dg)
{
	(void)held;
	dg->text[0] = '\0';
	return a->index;
}

int __wrap_cli_watch_behind(struct watch *w, int index, char *program,
			    struct nbd_diag *dg);
int __wrap_cli_watch_behind(struct watch *w, int index, char *program,
			    struct nbd_diag *dg)
{
	(void)w, (void)index, (void)program, (void)dg;
	watched++;
	return CLI_OK;
}

int __wrap_watch_devices(struct watch *w, const int index[], unsigned n);
int __wrap_watch_devices(struct watch *w, const int index[], unsigned n)
{
	(void)w, (void)index;
	watched += n;
	return CLI_OK;
}

/* Without one an outage would never end. */
static void it_is_watched_whoever_reads_what_is_printed(void **state)
{
	int full = open("/dev/full", O_WRONLY), was = dup(1), rc;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char *argv[] = { "nbd-client",	       "h", "nbd0", "-persist",
				 i ? "-nofork" : NULL, NULL };
		struct cli_call call = { .words = argv, .options = &o };

		memset(&o, 0, sizeof(o));
		watched = 0;
		hush();
		dup2(full, 1);
		rc = cmd_nbd_client.run(&call);
		dup2(was, 1);
		unhush();
		assert_int_equal(rc, CLI_OK);
		assert_int_equal(watched, 1);
	}
	close(full);
	close(was);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_documented_form_has_its_meaning),
		cmocka_unit_test(each_mistake_is_named),
		cmocka_unit_test(options_complete_each_other),
		cmocka_unit_test(what_cannot_be_is_refused_with_a_reason),
		cmocka_unit_test(each_line_of_nbdtab_has_its_meaning),
		cmocka_unit_test(nbdtab_may_end_anywhere),
		cmocka_unit_test(it_is_watched_whoever_reads_what_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
