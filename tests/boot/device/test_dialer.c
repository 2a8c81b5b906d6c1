/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which server gets how many connections: the servers are scripts, reached in
 * the place of device_tls_dial().
 */
#include "boot/device/dialer.h"
#include "tests/core/script.h"
#include "tests/port/conn.h"
#include "tests/world/clock.h"

#include <fcntl.h>
#include <unistd.h>

#define MIB (1ull << 20)
#define FLAGS \
	(NBD_FLAG_HAS_FLAGS | NBD_FLAG_READ_ONLY | NBD_FLAG_CAN_MULTI_CONN)

static struct nbd_diag diag;
static struct backend b;
static struct device_dialer dialer;
static struct conn conns[CONFIG_PORT_MAX_CONNECTIONS];

/* ---- the servers: a, b, c and d ---- */

static struct server {
	int err; /* it is not there */
	const char *why;
	uint64_t size;
	uint16_t flags;
	unsigned got; /* connections */
	/* what it was dialed with */
	struct device_tls *tls;
	const char *ca;
	unsigned port;
	bool silent; /* it accepts the connection, and that is all */
} servers[BACKEND_SERVERS];

/* In which order they were asked, and for how many: "a2 b1 " */
static char asked[100];
static unsigned closed, goodbyes;

static int send_away(struct nbd_transport *t, const struct nbd_iov v[],
		     unsigned n)
{
	(void)t;
	assert_true(n > 0);
	goodbyes++;
	return (int)v[0].len;
}

static struct nbd_transport away = { .write = send_away };

static void answer(struct conn *c, const struct server *s)
{
	/* TLS, if any, is not played */
	static const struct nbd_config cfg = { .name = "x", .name_len = 1 };
	static struct script script;

	script_start(&script);
	say_greeting(&script, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(&script, s->size, s->flags);
	say_reply(&script, NBD_OPT_GO, NBD_REP_ACK, 0);
	nbd_init(&c->c, &cfg);
	play(&script, &c->c);
	assert_int_equal(nbd_state(&c->c), NBD_READY);
	c->t = &away;
	c->tls = NULL;
	conn_open(c, open("/dev/null", O_RDWR | O_CLOEXEC));
	assert_true(c->s.fd >= 0);
}

int __wrap_device_tls_dial(struct device_tls *t, struct conn c[], unsigned n,
			   const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *d);
int __wrap_device_tls_load(struct device_tls *t, const struct nbd_uri *uri,
			   const struct tls_files *files, struct nbd_diag *d);
void __wrap_device_tls_close(struct device_tls *t);

int __wrap_device_tls_dial(struct device_tls *t, struct conn c[], unsigned n,
			   const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *d)
{
	struct server *s = &servers[uri->host[0] - 'a'];
	size_t len = strlen(asked);

	snprintf(asked + len, sizeof(asked) - len, "%s%u ", uri->host, n);
	assert_true(kernel);
	s->tls = t;
	s->ca = files->ca;
	s->port = c[0].s.port;
	if (s->silent) {
		c->cfg = *cfg;
		nbd_init(&c->c, &c->cfg);
		c->state = CONN_TALKING;
		nbd_transport_error(&c->c, NBD_E_TIMEOUT);
		c->s.fd = -1;
		return NBD_E_TIMEOUT;
	}
	c->state = CONN_CONNECTING;
	/* each with its own name */
	assert_ptr_equal(cfg->name, uri->name);
	assert_int_equal(cfg->name_len, uri->name_len);
	assert_int_equal(cfg->tls, uri->tls);
	if (s->err)
		return s->why ? nbd_diag(d, s->err, "%s", s->why) : s->err;
	for (unsigned i = 0; i < n; i++)
		answer(&c[i], s);
	s->got += n;
	return 0;
}

/* "+a ": the credentials of server a are read. */
int __wrap_device_tls_load(struct device_tls *t, const struct nbd_uri *uri,
			   const struct tls_files *files, struct nbd_diag *d)
{
	static char any;
	size_t len = strlen(asked);

	(void)files;
	snprintf(asked + len, sizeof(asked) - len, "+%s ", uri->host);
	assert_true(uri->tls);
	assert_null(t->session.creds);
	if (strcmp(uri->tls_certificates, "/none") == 0)
		return nbd_diag(d, NBD_E_CREDENTIAL, "no /none");
	t->session.creds = (struct tls_creds *)&any;
	return 0;
}

void __wrap_device_tls_close(struct device_tls *t)
{
	t->session.creds = NULL;
	closed++;
}

static bool is_closed(const struct conn *c)
{
	return c->s.fd < 0 || fcntl(c->s.fd, F_GETFD) < 0;
}

/* As many servers as there are in the text, all of them there. */
static void backend(const char *uris, unsigned connections, bool spread)
{
	static char buf[BACKEND_BUF];

	memset(&b, 0, sizeof(b));
	assert_int_equal(device_backend_parse_uris(&b, buf, uris, &diag), 0);
	b.connections = connections;
	b.spread = spread;
}

static int begin(void **state)
{
	(void)state;
	world = (struct world){ .real = true };
	for (unsigned i = 0; i < BACKEND_SERVERS; i++)
		servers[i] =
			(struct server){ .size = 64 * MIB, .flags = FLAGS };
	memset(&dialer, 0, sizeof(dialer));
	memset(conns, 0, sizeof(conns));
	for (unsigned i = 0; i < ARRAY_SIZE(conns); i++)
		conns[i].s.fd = -1;
	memset(&diag, 0, sizeof(diag));
	asked[0] = '\0';
	closed = goodbyes = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(conns); i++)
		if (!is_closed(&conns[i]))
			close(conns[i].s.fd);
	return 0;
}

static int open_all(void)
{
	return device_dialer_open(&dialer, conns, &b, false, &diag);
}

/* ---- fail-over ---- */

static void the_first_server_gets_all_connections(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y,nbd://c/z", 3, false);
	assert_int_equal(open_all(), 0);
	assert_string_equal(asked, "a3 ");
	assert_int_equal(servers[0].got, 3);
}

static void the_others_are_asked_in_their_order(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y,nbd://c/z,nbd://d", 2, false);
	servers[0].err = NBD_E_REFUSED;
	servers[1].err = NBD_E_NO_EXPORT;
	assert_int_equal(open_all(), 0);
	assert_string_equal(asked, "a2 b2 c2 ");
}

static void one_more_begins_at_the_given_server(void **state)
{
	static const char *const order[] = { "a1 b1 c1 ", "b1 c1 a1 ",
					     "c1 a1 b1 " };

	(void)state;
	for (unsigned first = 0; first < 3; first++) {
		begin(NULL);
		backend("nbd://a/x,nbd://b/y,nbd://c/z", 4, false);
		servers[0].err = servers[1].err = servers[2].err =
			NBD_E_REFUSED;
		assert_int_equal(device_dialer_one(&dialer, conns, &b, first,
						   &diag),
				 NBD_E_REFUSED);
		assert_string_equal(asked, order[first]);
	}
}

static void each_server_is_named_with_its_reason(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd+unix:///?socket=/b,nbd://c/z", 1, false);
	b.uris[1].host = "b";
	servers[0].err = NBD_E_REFUSED;
	servers[0].why = "connect to a: refused\n";
	servers[1].err = NBD_E_NO_EXPORT;
	servers[1].why = "no \"x\"";
	servers[2].err = NBD_E_IO;
	assert_int_equal(open_all(), NBD_E_REFUSED);
	/* what is escaped is not escaped again; no words are the error's own */
	assert_string_equal(diag.text,
			    "a: connect to a: refused\\x0a; /b: no \"x\"; "
			    "c: input/output error");
}

static void a_single_server_is_not_named(void **state)
{
	(void)state;
	backend("nbd://a/x", 1, false);
	servers[0].err = NBD_E_REFUSED;
	servers[0].why = "connect to a: refused";
	assert_int_equal(open_all(), NBD_E_REFUSED);
	assert_string_equal(diag.text, "connect to a: refused");
	/* a caller without a diag gets no text */
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, NULL),
			 NBD_E_REFUSED);
}

static void a_server_for_one_client_is_named_as_a_cause(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y", 1, false);
	servers[0].silent = true;
	servers[1].err = NBD_E_TIMEOUT;
	assert_int_equal(device_dialer_open(&dialer, conns, &b, false, &diag),
			 NBD_E_TIMEOUT);
	assert_non_null(strstr(diag.text, "a: it accepts the connection, but "
					  "sends no greeting: a server for one "
					  "client"));
	assert_non_null(strstr(diag.text, "; b: no answer in time"));
}

static void the_local_port_is_of_the_first_connection(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y", 1, false);
	b.port = 50001;
	assert_int_equal(device_dialer_open(&dialer, conns, &b, false, &diag),
			 0);
	assert_int_equal(servers[0].port, 50001);
	assert_true(conns[0].clear);
	dial_hangup(conns, b.connections);
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 1, &diag), 0);
	assert_int_equal(servers[1].port, 50001);
	dial_hangup(conns, 1);
}

/*
 * A NAT on the way may still know the connection that had the last port, and
 * the next boot must know all of them.
 */
static void the_watcher_goes_round_the_sisters_of_the_port(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y", 1, false);
	b.port = 50001;
	servers[0].err = NBD_E_REFUSED;
	assert_int_equal(device_dialer_keep(&dialer, &b, &diag), 0);
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
	assert_string_equal(asked, "a1 b1 ");
	assert_int_equal(servers[0].port, 50001 ^ 1);
	assert_int_equal(servers[1].port, 50001 ^ 2);
	assert_false(conns[0].clear);
	dial_hangup(conns, 1);
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 1, &diag), 0);
	assert_int_equal(servers[1].port, 50001 ^ 3);
	dial_hangup(conns, 1);
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 1, &diag), 0);
	assert_int_equal(servers[1].port, 50001);
	dial_hangup(conns, 1);
	b.port = 0;
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 1, &diag), 0);
	assert_int_equal(servers[1].port, 0);
}

static void a_server_that_was_late_is_asked_last_for_a_while(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y,nbd://c/z", 1, false);
	servers[0].err = NBD_E_TIMEOUT;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(
			device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
		dial_hangup(conns, 1);
	}
	assert_string_equal(asked, "a1 b1 b1 b1 ");
	/* unless no other is there */
	servers[1].err = servers[2].err = NBD_E_REFUSED;
	servers[0].err = 0;
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
	dial_hangup(conns, 1);
	/* from then on it is the first again */
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
	dial_hangup(conns, 1);
	assert_string_equal(asked, "a1 b1 b1 b1 b1 c1 a1 a1 ");
	/* and so it is after 5 minutes */
	servers[0].err = NBD_E_TIMEOUT;
	servers[1].err = 0;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(
			device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
		dial_hangup(conns, 1);
		world.now += 301000;
	}
	assert_string_equal(asked, "a1 b1 b1 b1 b1 c1 a1 a1 a1 b1 a1 b1 ");
}

static void
a_connection_that_was_no_good_makes_its_server_the_last(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y,nbd://c/z", 1, false);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(device_dialer_open(&dialer, conns, &b, false,
						    &diag),
				 0);
		device_dialer_avoid(&dialer);
		dial_hangup(conns, 1);
	}
	assert_string_equal(asked, "a1 b1 c1 ");
	/* if all are no good, the first is the first again */
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
	dial_hangup(conns, 1);
	assert_string_equal(asked, "a1 b1 c1 a1 ");
}

static void any_server_can_be_made_the_last(void **state)
{
	(void)state;
	backend("nbd://a/x,nbd://b/y,nbd://c/z", 1, false);
	for (unsigned i = 0; i < 2; i++) {
		device_dialer_late(&dialer, i);
		assert_int_equal(
			device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
		dial_hangup(conns, 1);
	}
	assert_string_equal(asked, "b1 c1 ");
}

static void long_reasons_are_cut(void **state)
{
	static char why[500];

	(void)state;
	memset(why, 'w', sizeof(why) - 1);
	backend("nbd://a/x,nbd://b/x,nbd://c/x,nbd://d/x", 1, false);
	for (unsigned i = 0; i < BACKEND_SERVERS; i++) {
		servers[i].err = NBD_E_REFUSED;
		servers[i].why = why;
	}
	assert_int_equal(open_all(), NBD_E_REFUSED);
	assert_int_equal(strlen(diag.text), sizeof(diag.text) - 1);
}

/* Trying again helps if it helps for one of them. */
static void an_outage_counts_more_than_a_mistake(void **state)
{
	static const int mistake[] = { NBD_E_NO_EXPORT, NBD_E_CERT,
				       NBD_E_USAGE };

	(void)state;
	for (unsigned at = 0; at < 3; at++)
		for (size_t m = 0; m < ARRAY_SIZE(mistake); m++) {
			begin(NULL);
			backend("nbd://a/x,nbd://b/x,nbd://c/x", 1, false);
			for (unsigned i = 0; i < 3; i++)
				servers[i].err = i == at ? NBD_E_UNREACHABLE
							 : mistake[m];
			assert_int_equal(open_all(), NBD_E_UNREACHABLE);
		}
	/* also if a server is found, which may be of no use */
	begin(NULL);
	servers[0].err = NBD_E_UNREACHABLE;
	assert_int_equal(open_all(), 0);
	assert_int_equal(dialer.away, NBD_E_UNREACHABLE);
	/* of mistakes the first one counts */
	begin(NULL);
	servers[0].err = NBD_E_CERT;
	servers[1].err = servers[2].err = NBD_E_NO_EXPORT;
	assert_int_equal(open_all(), NBD_E_CERT);
}

/* ---- spreading ---- */

static void connections_are_spread_evenly(void **state)
{
	static const struct {
		const char *uris;
		unsigned n;
		const char *asked;
	} t[] = {
		{ "nbd://a,nbd://b", 2, "a1 b1 " },
		{ "nbd://a,nbd://b", 5, "a3 b2 " },
		{ "nbd://a,nbd://b,nbd://c", 4, "a2 b1 c1 " },
		{ "nbd://a,nbd://b,nbd://c,nbd://d", 11, "a3 b3 c3 d2 " },
		{ "nbd://a", 2, "a2 " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		begin(NULL);
		backend(t[i].uris, t[i].n, true);
		assert_int_equal(open_all(), 0);
		assert_string_equal(asked, t[i].asked);
		for (unsigned k = 0; k < t[i].n; k++)
			assert_false(is_closed(&conns[k]));
		end(NULL);
	}
}

/* Refused with those words; all that was opened is closed, with a goodbye. */
static void assert_refused(int err, const char *words, unsigned opened)
{
	assert_int_equal(open_all(), err);
	if (!strstr(diag.text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, diag.text);
	for (unsigned i = 0; i < ARRAY_SIZE(conns); i++)
		assert_true(is_closed(&conns[i]));
	assert_int_equal(goodbyes, opened);
}

static void fewer_connections_than_servers_cannot_be_spread(void **state)
{
	(void)state;
	backend("nbd://a,nbd://b,nbd://c", 2, true);
	assert_refused(NBD_E_USAGE, "2 connections cannot be spread over 3", 0);
	assert_string_equal(asked, "");
}

static void what_can_be_written_is_not_spread(void **state)
{
	(void)state;
	backend("nbd://a,nbd://b", 4, true);
	servers[0].flags = servers[1].flags = FLAGS & ~NBD_FLAG_READ_ONLY;
	assert_refused(NBD_E_USAGE, "spreading is for read-only exports", 2);
	assert_string_equal(asked, "a2 ");
	/* a read-only device may */
	assert_int_equal(device_dialer_open(&dialer, conns, &b, true, &diag),
			 0);
}

static void servers_that_serve_something_else_are_refused(void **state)
{
	(void)state;
	backend("nbd://a,nbd://b,nbd://c", 4, true);
	servers[1].size = 32 * MIB;
	assert_refused(NBD_E_MISMATCH,
		       "a and b do not serve the same: sizes 67108864 and "
		       "33554432, flags 0x103 and 0x103",
		       3);
	begin(NULL);
	servers[2].flags |= NBD_FLAG_SEND_TRIM;
	assert_refused(NBD_E_MISMATCH, "flags 0x103 and 0x123", 4);
}

/* The driver would refuse them without a word. */
static void one_device_has_several_connections_by_consent(void **state)
{
	(void)state;
	backend("nbd://a,nbd://b", 2, true);
	servers[0].flags = servers[1].flags = FLAGS & ~NBD_FLAG_CAN_MULTI_CONN;
	assert_refused(NBD_E_MULTI_CONN, "a: ", 1);
}

static void a_server_that_is_missing_is_not_replaced(void **state)
{
	(void)state;
	backend("nbd://a,nbd://b", 4, true);
	servers[1].err = NBD_E_REFUSED;
	servers[1].why = "connect to b: refused";
	assert_refused(NBD_E_REFUSED, "connect to b: refused", 2);
	assert_string_equal(asked, "a2 b2 ");
}

/* ---- credentials ---- */

#define CA "tls-certificates=/ca"

static void each_server_has_its_own_credentials(void **state)
{
	(void)state;
	backend("nbds://a/?tls-verify-peer=0,nbds://b/?" CA ",nbds://c/?" CA
		"2,nbds://d/?" CA,
		4, true);
	assert_int_equal(open_all(), 0);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < i; j++)
			assert_int_equal(servers[i].tls == servers[j].tls,
					 i == 3 && j == 1);
}

static void users_have_keys_of_their_own(void **state)
{
	(void)state;
	backend("nbds://u@a/?tls-psk-file=/k,nbds://v@b/?tls-psk-file=/k,"
		"nbds://u@c/?tls-psk-file=/k2,nbds://u@d/?tls-psk-file=/k",
		4, true);
	assert_int_equal(open_all(), 0);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < i; j++)
			assert_int_equal(servers[i].tls == servers[j].tls,
					 i == 3 && j == 0);
}

static void a_uri_that_contradicts_itself_is_refused_first(void **state)
{
	(void)state;
	backend("nbds://a,nbd://b/?" CA, 1, false);
	assert_refused(NBD_E_USAGE, "b: options for TLS need nbds://", 0);
	backend("nbd://a,nbds://b/?tls-type=anon", 1, false);
	assert_refused(NBD_E_USAGE, "b: tls-type=anon", 0);
	assert_string_equal(asked, "");
}

static void named_files_are_for_servers_with_tls(void **state)
{
	(void)state;
	backend("nbd://a,nbds://b", 2, true);
	b.files.ca = "/ca";
	assert_int_equal(open_all(), 0);
	assert_null(servers[0].ca);
	assert_string_equal(servers[1].ca, "/ca");
	end(NULL);
	backend("nbd://a,nbd://b", 2, true);
	b.files.ca = "/ca";
	assert_refused(NBD_E_USAGE, "a: options for TLS need nbds://", 0);
}

static void credentials_are_kept_once_each(void **state)
{
	(void)state;
	backend("nbd://a,nbds://b/?" CA ",nbds://c/?" CA ",nbds://d/?" CA "2",
		1, false);
	assert_int_equal(device_dialer_keep(&dialer, &b, &diag), 0);
	assert_string_equal(asked, "+b +d ");
	assert_string_equal(diag.text, "");
	device_dialer_close(&dialer);
	assert_int_equal(closed, 0);
	servers[0].err = servers[1].err = servers[2].err = NBD_E_REFUSED;
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
	assert_string_equal(asked, "+b +d a1 b1 c1 d1 ");
}

static void a_server_without_its_credentials_is_not_dialed(void **state)
{
	(void)state;
	backend("nbds://a/?tls-certificates=/none,nbds://b/?" CA, 1, false);
	assert_int_equal(device_dialer_keep(&dialer, &b, &diag), 0);
	assert_string_equal(diag.text, "a: no /none");
	servers[1].err = NBD_E_REFUSED;
	servers[1].why = "refused";
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, &diag),
			 NBD_E_REFUSED);
	assert_string_equal(diag.text,
			    "a: its credentials could not be read when this "
			    "program started; b: refused");
	assert_string_equal(asked, "+a +b b1 ");
	/* where there is no other server, there is nothing to wait for */
	backend("nbds://a/?tls-certificates=/none", 1, false);
	memset(&dialer, 0, sizeof(dialer));
	assert_int_equal(device_dialer_keep(&dialer, &b, &diag),
			 NBD_E_CREDENTIAL);
	assert_string_equal(diag.text, "no /none");
}

static void servers_may_move_and_keep_their_credentials(void **state)
{
	const struct device_tls *of_b;

	(void)state;
	backend("nbd://a/,nbds://b/?" CA, 1, false);
	assert_int_equal(device_dialer_keep(&dialer, &b, &diag), 0);
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 1, &diag), 0);
	of_b = servers[1].tls;
	dial_hangup(conns, 1);
	device_dialer_late(&dialer, 0);
	/* two addresses of a, and so b is the third */
	backend("nbd://c/,nbd://a/,nbds://b/?" CA, 1, false);
	device_dialer_moved(&dialer);
	asked[0] = '\0';
	servers[2].err = servers[0].err = NBD_E_REFUSED;
	assert_int_equal(device_dialer_one(&dialer, conns, &b, 0, &diag), 0);
	dial_hangup(conns, 1);
	assert_string_equal(asked, "c1 a1 b1 ");
	assert_ptr_equal(servers[1].tls, of_b);
}

static void a_server_that_is_shunned_comes_after_late_ones(void **state)
{
	(void)state;
	backend("nbd://a/,nbd://b/,nbd://c/", 1, false);
	device_dialer_shun(&dialer, 0);
	device_dialer_late(&dialer, 1);
	servers[0].err = servers[1].err = servers[2].err = NBD_E_REFUSED;
	/* an answer makes it no better */
	for (unsigned i = 0; i < 2; i++) {
		asked[0] = '\0';
		assert_int_equal(device_dialer_one(&dialer, conns, &b, 0,
						   &diag),
				 NBD_E_REFUSED);
		assert_string_equal(asked, i ? "b1 c1 a1 " : "c1 b1 a1 ");
	}
	/* but it is asked if it is meant */
	asked[0] = '\0';
	assert_int_equal(device_dialer_to(&dialer, conns, &b, 0, &diag),
			 NBD_E_REFUSED);
	assert_string_equal(asked, "a1 ");
}

#define DIAL(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DIAL(the_first_server_gets_all_connections),
		DIAL(the_others_are_asked_in_their_order),
		DIAL(one_more_begins_at_the_given_server),
		DIAL(each_server_is_named_with_its_reason),
		DIAL(a_single_server_is_not_named),
		DIAL(a_server_for_one_client_is_named_as_a_cause),
		DIAL(the_local_port_is_of_the_first_connection),
		DIAL(the_watcher_goes_round_the_sisters_of_the_port),
		DIAL(a_server_that_was_late_is_asked_last_for_a_while),
		DIAL(a_connection_that_was_no_good_makes_its_server_the_last),
		DIAL(any_server_can_be_made_the_last),
		DIAL(long_reasons_are_cut),
		DIAL(an_outage_counts_more_than_a_mistake),
		DIAL(connections_are_spread_evenly),
		DIAL(fewer_connections_than_servers_cannot_be_spread),
		DIAL(what_can_be_written_is_not_spread),
		DIAL(servers_that_serve_something_else_are_refused),
		DIAL(one_device_has_several_connections_by_consent),
		DIAL(a_server_that_is_missing_is_not_replaced),
		DIAL(each_server_has_its_own_credentials),
		DIAL(users_have_keys_of_their_own),
		DIAL(a_uri_that_contradicts_itself_is_refused_first),
		DIAL(named_files_are_for_servers_with_tls),
		DIAL(credentials_are_kept_once_each),
		DIAL(a_server_without_its_credentials_is_not_dialed),
		DIAL(servers_may_move_and_keep_their_credentials),
		DIAL(a_server_that_is_shunned_comes_after_late_ones),
	};

	return cmocka_run_group_tests_name("dialer", tests, NULL, NULL);
}
