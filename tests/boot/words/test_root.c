/* SPDX-License-Identifier: BSD-2-Clause */
/* Every form of root= and its relatives, and the known bugs of others. */
#include "tests/unit.h"
#include "tests/guard.h"

#include <stdlib.h>

#include "boot/init/part.h"
#include "boot/words/root.h"
#include "tests/boot/words/root_cases.h"
#include "tests/boot/words/root_wild.h"

static struct cmdline c;
static struct root_spec spec, r;
static struct nbd_diag d;
static char line[CMDLINE_MAX + 1];

static const struct root_env machine = {
	.value = { "host-7", "52:54:00:00:00:01", "u-u", "S /1" },
};

/* Both steps. */
static int expand(const char *text, const struct root_env *env)
{
	int rc;

	d.text[0] = '\0';
	rc = boot_cmdline_parse(&c, text, &d);
	if (!rc)
		rc = root_parse(&spec, &c, &d);
	return rc ? rc : root_expand(&r, &spec, env, &d);
}

/* The first step alone, or both if there is a root-path. */
static int parse(const char *text, const char *root_path)
{
	struct root_env env = machine;
	int rc;

	env.root_path = root_path;
	env.server = SERVER;
	if (root_path)
		return expand(text, &env);
	d.text[0] = '\0';
	rc = boot_cmdline_parse(&c, text, &d);
	return rc ? rc : root_parse(&r, &c, &d);
}

static const char *uri(unsigned i)
{
	static char text[3 * ROOT_TEXT];

	assert_true(i < r.uris);
	assert_true(nbd_uri_print(&r.uri[i], text, sizeof(text)) > 0);
	return text;
}

static void add(struct nbd_out *o, const char *key, const char *v)
{
	if (v)
		nbd_putf(o, " %s=%s", key, v);
}

static void add_number(struct nbd_out *o, const char *key, int v, int none)
{
	if (v != none)
		nbd_putf(o, " %s=%d", key, v);
}

/* The result in one line. */
static const char *summary(void)
{
	static char text[2048];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	for (unsigned i = 0; i < r.uris; i++)
		nbd_putf(&o, " %s", uri(i));
	nbd_putf(&o, "%s%s%s%s%s%s%s%s", r.from_dhcp ? " dhcp" : "",
		 r.uri[0].is_unix ? " unix" : "", r.tls ? " tls" : "",
		 r.overlay ? " overlay" : "", r.read_only ? " ro" : "",
		 r.swap ? " swap" : "", r.persist ? " persist" : "",
		 r.no_go ? " no-go" : "");
	add_number(&o, "dev", r.device, ROOT_UNSET);
	add(&o, "part", r.part);
	add(&o, "other", r.other);
	add(&o, "fstype", r.fstype);
	add(&o, "options", r.options);
	add_number(&o, "conns", r.connections, 1);
	add_number(&o, "bs", r.block_size, ROOT_UNSET);
	add_number(&o, "t", r.io_timeout, ROOT_UNSET);
	add_number(&o, "D", r.dead_timeout, ROOT_UNSET);
	add(&o, "ca", r.ca);
	add(&o, "cert", r.cert);
	add(&o, "key", r.key);
	if (r.note.text[0])
		nbd_putf(&o, " note=%s", r.note.text);
	text[o.len] = '\0';
	return text + (o.len > 0);
}

static void check(const char *text, const char *root_path, const char *want)
{
	int rc = parse(text, root_path);

	if (rc)
		fail_msg("%s: %s", text, d.text);
	assert_string_equal(summary(), want);
}

static void check_all(const struct root_case *t, size_t n)
{
	for (; n; t++, n--)
		check(t->line, t->root_path, t->want);
}

static void uris_one_or_several(void **state)
{
	(void)state;
	check_all(uri_cases, ARRAY_SIZE(uri_cases));
}

static void every_form_of_dracut(void **state)
{
	(void)state;
	check_all(dracut_cases, ARRAY_SIZE(dracut_cases));
}

static void every_form_of_debian(void **state)
{
	(void)state;
	check_all(debian_cases, ARRAY_SIZE(debian_cases));
}

static void mkinitcpio_archiso_libreelec_and_kiwi(void **state)
{
	(void)state;
	check_all(other_cases, ARRAY_SIZE(other_cases));
}

static void a_root_path_in_every_form(void **state)
{
	(void)state;
	check_all(dhcp_cases, ARRAY_SIZE(dhcp_cases));
}

static void names_are_filled_in(void **state)
{
	(void)state;
	check_all(fill_cases, ARRAY_SIZE(fill_cases));
}

static void tls_that_is_required_and_there_is_accepted(void **state)
{
	(void)state;
	check_all(tls_cases, ARRAY_SIZE(tls_cases));
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_cases); i++) {
		int rc = parse(bad_cases[i].line, bad_cases[i].root_path);

		if (rc == 0)
			fail_msg("%s is taken: %s", bad_cases[i].line,
				 summary());
		assert_true(rc == NBD_E_URI || rc == NBD_E_USAGE);
		if (!strstr(d.text, bad_cases[i].says))
			fail_msg("%s: %s", bad_cases[i].line, d.text);
	}
}

/* ---- nbd-client's options ---- */

static void options_with_dashes_or_without_long_or_short(void **state)
{
	static const struct {
		const char *options, *want;
	} t[] = {
		{ "bs=1024", " bs=1024" },
		{ "block-size=1024", " bs=1024" },
		{ "-block-size=1024", " bs=1024" },
		{ "--block-size=1024", " bs=1024" },
		{ "-b=1024", " bs=1024" },
		{ "C=2", " conns=2" },
		{ "connections=16", " conns=16" },
		{ "t=1", " t=1" },
		{ "T=0", " D=0" },
		{ "readonly", " ro" },
		{ "-R", " ro" },
		{ "swap,persist", " swap persist" },
		{ "-s,-p", " swap persist" },
		{ "systemd-mark,-m,nofork,-n", "" },
		{ "no-optgo", " no-go" },
		{ "-g", " no-go" },
		{ "", "" },
		{ ",,", "" },
		/* as getopt_long_only() takes them */
		{ "-b512", " bs=512" },
		{ "-p,-t10", " persist t=10" },
		{ "-b512,-p -t10", " persist bs=512 t=10" },
		{ "-b,512,-t 10,-R", " ro bs=512 t=10" },
		{ "-block-size 1024", " bs=1024" },
		{ "--timeout,7", " t=7" },
		{ "-Rpt10", " ro persist t=10" },
		{ "-nmgC2", " no-go conns=2" },
		{ "-block=512", " bs=512" },
		{ "--dead 0", " D=0" },
		{ "-per", " persist" },
		{ "-t", " note=-t" },
		{ "-t,", " note=-t" },
		{ "-t -p", " note=-t -p" },
		{ "-pt", " persist note=t" },
		{ "-b4097,-p", " persist note=-b4097" },
		{ "-pb4097", " persist note=b4097" },
		{ "-pzR", " persist note=zR" },
		{ "-pLR", " ro persist note=L" },
		{ "-no", " note=o" },
		{ "-p=1", " note=-p=1" },
		{ "--pR", " note=--pR" },
		{ "b512", " note=b512" },
		{ "t 10", " note=t, 10" },
		{ "-size=5,-sdp,-preinit", " note=-size=5, -sdp, -preinit" },
		{ "-i x -y,z -p", " persist note=-i x, -y,z" },
		/* reported, never ignored in silence */
		{ "-sdp", " note=-sdp" },
		{ "size=5,preinit,x9", " note=size=5, preinit, x9" },
		{ "-", " note=-" },
		{ "bs", " note=bs" },
		{ "bs=", " note=bs=" },
		{ "bs=511", " note=bs=511" },
		{ "bs=4097", " note=bs=4097" },
		{ "bs=1x", " note=bs=1x" },
		{ "connections=17", " note=connections=17" },
		{ "timeout=0", " note=timeout=0" },
		{ "timeout=99999999999999999999",
		  " note=timeout=99999999999999999999" },
		{ "persist=1", " note=persist=1" },
		{ "persis", " note=persis" },
		{ "persistx", " note=persistx" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		char want[128];

		snprintf(line, sizeof(line), "root=\"nbd:srv:x:::%s\"",
			 t[i].options);
		snprintf(want, sizeof(want), "nbd://srv/x%s", t[i].want);
		check(line, NULL, want);
	}
}

static void options_for_tls_make_it_nbds(void **state)
{
	(void)state;
	check("root=nbd:srv:x:::enable-tls", NULL, "nbds://srv/x tls");
	check("root=nbd:srv:x:::-x,tlshostname=o.ex", NULL,
	      "nbds://srv/x?tls-hostname=o.ex tls");
	check("root=nbd:srv:x:::certfile=/c,keyfile=/k,cacertfile=/a,H=o", NULL,
	      "nbds://srv/x?tls-hostname=o tls ca=/a cert=/c key=/k");
	check("root=nbd:srv:10810:::name=x", NULL, "nbd://srv:10810/x");
}

static void connections_of_our_own_word_win(void **state)
{
	(void)state;
	check("root=nbd:srv:x:::C=2 nbdboot.connections=4", NULL,
	      "nbd://srv/x conns=4");
}

/* ---- the bugs of others ---- */

/* initramfs-tools: "Insufficient information", the name is left empty. */
static void debians_server_comma_export_has_its_name(void **state)
{
	(void)state;
	check("nbdroot=srv,export root=/dev/nbd0", NULL,
	      "nbd://srv/export dev=0");
}

/* initramfs-tools: the export is taken for the port as well. */
static void debians_server_colon_export_is_no_port(void **state)
{
	(void)state;
	check("nbdroot=srv:export root=/dev/nbd0", NULL,
	      "nbd://srv/export dev=0");
	check("nbdroot=srv:10810 root=/dev/nbd0", NULL,
	      "nbd://srv:10810/ dev=0");
}

/* dracut collects them in preopts, which it never uses. */
static void dracuts_bs_and_timeout_are_passed_on(void **state)
{
	(void)state;
	check("root=nbd:srv:x:ext4:noatime:bs=2048,timeout=60", NULL,
	      "nbd://srv/x fstype=ext4 options=noatime bs=2048 t=60");
}

/* dracut: other options are passed as bare words, as if they were hosts. */
static void dracuts_other_options_are_understood(void **state)
{
	(void)state;
	check("root=nbd:srv:x:::persist,swap,connections=2", NULL,
	      "nbd://srv/x swap persist conns=2");
}

/* dracut compares fields to see whether there is another one. */
static void dracuts_equal_fields_are_all_there(void **state)
{
	(void)state;
	check("root=nbd:srv:ext4:ext4", NULL, "nbd://srv/ext4 fstype=ext4");
	check("root=nbd:srv:x:xfs:xfs:xfs", NULL,
	      "nbd://srv/x fstype=xfs options=xfs note=xfs");
}

/* dracut marks it as broken in its own test. */
static void a_file_system_type_from_dhcp_counts(void **state)
{
	(void)state;
	check("root=dhcp", "nbd:srv:x:ext4", "nbd://srv/x dhcp fstype=ext4");
	check("root=dhcp rootfstype=xfs", "nbd:srv:x:ext4",
	      "nbd://srv/x dhcp fstype=xfs");
}

/* dracut: issue 539, root=/dev/nbd0 fails where root=/dev/nbd0p1 works. */
static void the_whole_device_beside_netroot_is_a_root(void **state)
{
	(void)state;
	check("root=/dev/nbd0 netroot=nbd:srv:x", NULL, "nbd://srv/x dev=0");
	check("root=/dev/nbd0p1 netroot=nbd:srv:x", NULL,
	      "nbd://srv/x dev=0 part=1");
}

/* So in dracut; we also report it. */
static void root_wins_over_netroot_and_that_is_reported(void **state)
{
	(void)state;
	check("netroot=nbd:b:y root=nbd:a:x", NULL, "nbd://a/x note=netroot");
	check("root=nbd://a/x nbdroot=b,y nbd_host=c", NULL,
	      "nbd://a/x note=nbd_host, nbdroot");
}

static void a_later_try_may_begin_with_another_server(void **state)
{
	static const char *const order[] = { "abc", "bca", "cab", "abc" };
	struct root_env env = machine;

	(void)state;
	assert_int_equal(
		boot_cmdline_parse(&c, "root=nbd://a/,nbd://b/,nbd://c/", &d),
		0);
	assert_int_equal(root_parse(&spec, &c, &d), 0);
	for (env.first = 0; env.first < ARRAY_SIZE(order); env.first++) {
		assert_int_equal(root_expand(&r, &spec, &env, &d), 0);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(r.uri[i].host[0], order[env.first][i]);
	}
}

static void lines_of_others_mean_what_their_authors_meant(void **state)
{
	struct root_env env = machine;

	(void)state;
	env.server = SERVER;
	for (size_t i = 0; i < ARRAY_SIZE(wild_cases); i++) {
		const struct root_case *t = &wild_cases[i];
		int rc = boot_cmdline_parse(&c, t->line, &d);

		env.root_path = t->root_path;
		if (!rc)
			rc = root_parse_server(&spec, &c, &d);
		if (!rc)
			rc = root_expand(&r, &spec, &env, &d);
		if (rc)
			fail_msg("%s: %s", t->line, d.text);
		assert_string_equal(summary(), t->want);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wild_others); i++) {
		assert_int_equal(boot_cmdline_parse(&c, wild_others[i], &d), 0);
		if (!root_parse_server(&r, &c, &d))
			fail_msg("%s: %s", wild_others[i], summary());
	}
}

/* init has no programs for what others make of the device: it names the root. */
static void init_boots_lines_of_others_or_names_their_root(void **state)
{
	struct root_env env = machine;
	unsigned refused = 0;

	(void)state;
	env.server = SERVER;
	for (size_t i = 0; i < ARRAY_SIZE(wild_cases); i++) {
		const struct root_case *t = &wild_cases[i];
		const char *other = strstr(t->want, " other=");

		env.root_path = t->root_path;
		if (other) {
			assert_int_equal(expand(t->line, &env), NBD_E_URI);
			assert_non_null(strstr(d.text, spec.other));
			assert_ptr_equal(strstr(other + 7, spec.other),
					 other + 7);
			refused++;
			continue;
		}
		if (expand(t->line, &env))
			fail_msg("%s: %s", t->line, d.text);
		assert_string_equal(summary(), t->want);
		assert_true(!r.part || !init_part_check(r.part, NULL));
	}
	assert_in_range(refused, 1, ARRAY_SIZE(wild_cases) / 10);
	for (size_t i = 0; i < ARRAY_SIZE(wild_others); i++)
		if (!expand(wild_others[i], &env))
			fail_msg("%s: %s", wild_others[i], summary());
}

/* Somebody else makes the root out of the device: LVM, for example. */
static void a_root_of_others_is_left_to_them(void **state)
{
	static const struct {
		const char *line, *other;
	} t[] = {
		{ "root=/dev/mapper/vg-root netroot=nbd:srv:x",
		  "/dev/mapper/vg-root" },
		{ "root=live:LABEL=l nbdroot=srv,x", "live:LABEL=l" },
		{ "root=/dev/sda1 nbd_host=srv nbd_name=x", "/dev/sda1" },
		{ "root=PARTLABEL=r netroot=nbd:srv:x", NULL },
		{ "root=nbd:srv:x", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(boot_cmdline_parse(&c, t[i].line, &d), 0);
		assert_int_equal(root_parse_server(&r, &c, &d), 0);
		assert_string_equal(uri(0), "nbd://srv/x");
		if (t[i].other)
			assert_string_equal(r.other, t[i].other);
		else
			assert_null(r.other);
	}
	assert_int_equal(boot_cmdline_parse(&c, "root=/dev/sda1", &d), 0);
	assert_int_equal(root_parse_server(&r, &c, &d), NBD_E_URI);
}

/* ---- the two steps ---- */

/* A boot that is tried again may have another lease. */
static void one_spec_is_expanded_again_and_again(void **state)
{
	static const struct {
		const char *line;
		const char *want[2];
	} t[] = {
		{ "root=nbd://srv/%h,nbd://%h/x",
		  { "nbd://srv/a nbd://a/x", "nbd://srv/b nbd://b/x" } },
		{ "nbdroot=dhcp,%h",
		  { "nbd://10.1.1.1/a dhcp", "nbd://10.1.1.2/b dhcp" } },
		{ "nbdroot=dhcp rootflags=ro",
		  { "nbd://10.1.1.1/ dhcp options=ro",
		    "nbds://srv/b dhcp tls options=sync,ro" } },
	};
	const struct root_env env[2] = {
		{ .value = { "a" }, .root_path = "10.1.1.1" },
		{ .value = { "b" }, .server = "10.1.1.2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		boot_cmdline_parse(&c, t[i].line, &d);
		assert_int_equal(root_parse(&spec, &c, &d), 0);
		for (unsigned n = 0; n < 6; n++) {
			struct root_env e = env[n % 2];

			if (i == 2 && n % 2)
				e.root_path = "nbd:srv:%h::sync:-x";
			assert_int_equal(root_expand(&r, &spec, &e, &d), 0);
			assert_string_equal(summary(), t[i].want[n % 2]);
		}
	}
}

static void a_uri_without_values_is_parsed_once(void **state)
{
	(void)state;
	assert_int_equal(expand("root=nbds://u@srv/x,nbd://b/%h", &machine), 0);
	assert_memory_equal(&r.uri[0], &spec.uri[0], sizeof(r.uri[0]));
	assert_string_equal(spec.uri[1].name, "h");
	assert_string_equal(r.uri[1].name, "host-7");
}

static void mistakes_beside_a_value_are_found_by_the_first_step(void **state)
{
	(void)state;
	assert_int_equal(parse("root=nbd://srv/%h?x=y", NULL), NBD_E_URI);
	assert_non_null(strstr(d.text, "unknown key (at character 13)"));
	assert_int_equal(parse("root=nbd:-x:%h", NULL), NBD_E_URI);
	assert_non_null(strstr(d.text, "not a host name"));
}

static void a_name_that_is_given_again_replaces_the_template(void **state)
{
	(void)state;
	check("root=nbd:srv:%h:::name=x", "", "nbd://srv/x");
	check("root=nbd:srv:x:::name=%h", "", "nbd://srv/host-7");
}

/* ---- bounds ---- */

static void a_value_that_is_not_known_is_named(void **state)
{
	static const struct {
		const char *line, *says;
	} t[] = {
		{ "root=nbd://srv/%h", "%h is the host name" },
		{ "root=nbd:srv:%m", "%m is the MAC address" },
		{ "nbdroot=srv,%u", "%u is the system's UUID" },
		{ "nbd_host=srv nbd_name=%s", "%s is the serial number" },
	};
	const struct root_env none = { .root_path = NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(expand(t[i].line, &none), NBD_E_NOT_FOUND);
		assert_non_null(strstr(d.text, t[i].says));
	}
}

/* A value from the firmware cannot bring in a server or a key. */
static void what_is_filled_in_stays_within_its_component(void **state)
{
	const struct root_env evil = {
		.value = { "x@evil/?tls-verify-peer=0#%41", NULL, NULL, NULL },
	};

	(void)state;
	assert_int_equal(expand("root=nbds://srv/%h?tls-hostname=o", &evil), 0);
	assert_string_equal(uri(0),
			    "nbds://srv/x@evil/%3Ftls-verify-peer=0%23%2541"
			    "?tls-hostname=o");
	assert_int_equal(expand("root=nbd://%h/", &evil), NBD_E_URI);
	assert_int_equal(expand("root=nbds://srv/?tls-hostname=%h", &evil),
			 NBD_E_URI);
	/* a form that is no URI has no other component to get into */
	assert_int_equal(expand("root=nbd:srv:%h:ext4", &evil), 0);
	assert_string_equal(
		summary(),
		"nbd://srv/x@evil/%3Ftls-verify-peer=0%23%2541 fstype=ext4");
}

static void every_length_is_taken_or_refused(void **state)
{
	static const char *const forms[] = { "root=nbd://h/",
					     "root=nbd:h:", "nbdroot=h,",
					     "root=nbd:h:x:" };
	static char host[4096];
	struct root_env env = machine;

	(void)state;
	memset(host, '/', sizeof(host) - 1);
	env.value[ROOT_HOST] = host;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t at = strlen(forms[i]);

		for (size_t n = at; n < CMDLINE_MAX; n += 31) {
			memcpy(line, forms[i], at);
			memset(line + at, '~', n - at);
			line[n] = '\0';
			assert_int_equal(parse(line, ""), 0);
		}
		/* far more text than there is room for */
		for (size_t n = at; n < at + 40; n += 2) {
			memcpy(line + n, "%h", 3);
			if (expand(line, &env) == 0)
				continue;
			assert_true(strstr(d.text, "too long") ||
				    strstr(d.text, "more than 4096"));
		}
	}
}

/* The root-path ends flush against a page that cannot be read. */
static void a_root_path_is_not_read_beyond_its_end(void **state)
{
	struct guard g = guard_new(4096);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(dhcp_cases); i++) {
		const char *path = dhcp_cases[i].root_path;

		/* wherever it is cut, it means something else or is wrong */
		for (size_t n = 0; path && n <= strlen(path); n++) {
			char *p = guard_end(&g, n + 1);

			memcpy(p, path, n);
			p[n] = '\0';
			parse(dhcp_cases[i].line, p);
		}
	}
	guard_free(&g);
}

static void scripts_learn_which_word_wants_a_root(void **state)
{
	static const struct {
		const char *line, *word;
	} t[] = {
		{ "quiet", "" },
		{ "root=/dev/sda1 netroot=iscsi:h::::x", "" },
		{ "root=LABEL=x boot=live nbd_name=x", "" },
		{ "root=dhcp netroot=dhcp", "" },
		{ "nbdroot=", "" },
		{ "root=nbd:h:x", "root" },
		{ "root=nbds://h/x quiet", "root" },
		{ "root=overlay:nbd=h:x", "root" },
		{ "boot=NBD=h:1:x", "boot" },
		{ "root=LABEL=x netroot=nbd:h:x", "netroot" },
		{ "root=/dev/nbd0 nbdroot=dhcp", "nbdroot" },
		{ "nbd_host=h root=/dev/nbd0", "nbd_host" },
		{ "archiso_nbd_srv=h", "archiso_nbd_srv" },
		{ "root=/dev/nbd0p1", "device" },
		{ "nbddev=nbd1", "device" },
		{ "root=/dev/nbd0 netroot=dhcp", "dhcp" },
		/* a mistake in another word is for the boot to report */
		{ "nbdboot.slots=x root=nbd://h:x/", "root" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		boot_cmdline_parse(&c, t[i].line, &d);
		assert_string_equal(root_wanted(&c), t[i].word);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_learn_which_word_wants_a_root),
		cmocka_unit_test(uris_one_or_several),
		cmocka_unit_test(every_form_of_dracut),
		cmocka_unit_test(every_form_of_debian),
		cmocka_unit_test(mkinitcpio_archiso_libreelec_and_kiwi),
		cmocka_unit_test(a_root_path_in_every_form),
		cmocka_unit_test(names_are_filled_in),
		cmocka_unit_test(tls_that_is_required_and_there_is_accepted),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(options_with_dashes_or_without_long_or_short),
		cmocka_unit_test(options_for_tls_make_it_nbds),
		cmocka_unit_test(connections_of_our_own_word_win),
		cmocka_unit_test(debians_server_comma_export_has_its_name),
		cmocka_unit_test(debians_server_colon_export_is_no_port),
		cmocka_unit_test(dracuts_bs_and_timeout_are_passed_on),
		cmocka_unit_test(dracuts_other_options_are_understood),
		cmocka_unit_test(dracuts_equal_fields_are_all_there),
		cmocka_unit_test(a_file_system_type_from_dhcp_counts),
		cmocka_unit_test(the_whole_device_beside_netroot_is_a_root),
		cmocka_unit_test(root_wins_over_netroot_and_that_is_reported),
		cmocka_unit_test(a_root_of_others_is_left_to_them),
		cmocka_unit_test(lines_of_others_mean_what_their_authors_meant),
		cmocka_unit_test(
			init_boots_lines_of_others_or_names_their_root),
		cmocka_unit_test(one_spec_is_expanded_again_and_again),
		cmocka_unit_test(a_uri_without_values_is_parsed_once),
		cmocka_unit_test(
			mistakes_beside_a_value_are_found_by_the_first_step),
		cmocka_unit_test(
			a_name_that_is_given_again_replaces_the_template),
		cmocka_unit_test(a_later_try_may_begin_with_another_server),
		cmocka_unit_test(a_value_that_is_not_known_is_named),
		cmocka_unit_test(what_is_filled_in_stays_within_its_component),
		cmocka_unit_test(every_length_is_taken_or_refused),
		cmocka_unit_test(a_root_path_is_not_read_beyond_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
