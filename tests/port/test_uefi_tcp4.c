/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections of EFI_TCP4, with firmware that lends and counts. */
#include "tests/unit.h"

#include "port/uefi/rest.c"
#include "port/uefi/tcp4.c"
#include "tests/world/clock.h"

#include <stdlib.h>

#define LINKS CONFIG_PORT_MAX_CONNECTIONS

struct child {
	struct efi_tcp4_protocol p; /* the first: the calls cast */
	struct efi_tcp4_io *connect, *rx;
	bool used;
};

/* What is lent out, and the step that fails: 0 is none. */
static struct firmware {
	struct child child[LINKS + 1];
	int children, events, pages;
	unsigned step, fails;
	bool reset; /* by the server: nothing is received any more */
} fw;
static struct efi_tcp4 net;
static int nic;

static unsigned halts;

void efi_halt(void)
{
	halts++;
}

static bool fails(void)
{
	return ++fw.step == fw.fails;
}

static efi_status p_configure(struct efi_tcp4_protocol *p, struct config *c)
{
	(void)p;
	return c && fails() ? EFI_INVALID_PARAMETER : 0;
}

static efi_status p_connect(struct efi_tcp4_protocol *p, void *token)
{
	struct child *c = (struct child *)p;

	if (fails())
		return EFI_DEVICE_ERROR;
	c->connect = token;
	return 0;
}

static efi_status p_receive(struct efi_tcp4_protocol *p, void *token)
{
	struct child *c = (struct child *)p;

	assert_null(c->rx);
	if (fw.reset)
		return EFI_ERROR(105u);
	c->rx = token;
	return 0;
}

static efi_status p_poll(struct efi_tcp4_protocol *p)
{
	assert_true(((struct child *)p)->used);
	return 0;
}

static efi_status create(struct efi_binding *b, efi_handle *child)
{
	unsigned i = 0;

	(void)b;
	if (fails())
		return EFI_OUT_OF_RESOURCES;
	while (fw.child[i].used)
		assert_in_range(++i, 0, LINKS);
	fw.child[i] = (struct child){ .p = { .configure = p_configure,
					     .connect = p_connect,
					     .receive = p_receive,
					     .poll = p_poll },
				      .used = true };
	*child = &fw.child[i];
	fw.children++;
	return 0;
}

static efi_status destroy(struct efi_binding *b, efi_handle child)
{
	(void)b;
	assert_true(((struct child *)child)->used);
	((struct child *)child)->used = false;
	fw.children--;
	return 0;
}

static struct efi_binding binding = { create, destroy };

const struct efi_guid efi_guid_tcp4_binding, efi_guid_tcp4;

void *efi_protocol(efi_handle h, const struct efi_guid *g)
{
	if (g == &efi_guid_tcp4_binding)
		return &binding;
	return fails() ? NULL : h;
}

/* An event is a number that counts its signals. */
static efi_notify *notified;
static void *notified_with;

static efi_status create_event(uint32_t type, uint64_t tpl, efi_notify *fn,
			       void *ctx, efi_event *e)
{
	(void)type, (void)tpl;
	notified = fn;
	notified_with = ctx;
	if (fails())
		return EFI_OUT_OF_RESOURCES;
	*e = calloc(1, sizeof(int));
	fw.events++;
	return 0;
}

/* Its time has come. */
static efi_status set_timer(efi_event e, unsigned type, uint64_t in_100ns)
{
	(void)type, (void)in_100ns;
	notified(e, notified_with);
	return 0;
}

static efi_status check_event(efi_event e)
{
	int *signals = e;

	return *signals && (*signals)-- ? 0 : EFI_NOT_READY;
}

static efi_status close_event(efi_event e)
{
	free(e);
	fw.events--;
	return 0;
}

void *efi_pages(size_t bytes)
{
	if (fails())
		return NULL;
	fw.pages++;
	return malloc(bytes);
}

void efi_free_pages(void *p, size_t bytes)
{
	(void)bytes;
	fw.pages -= p != NULL;
	free(p);
}

int efi_error(efi_status s)
{
	return s ? NBD_E_IO : 0;
}

static struct efi_boot services = { .create_event = create_event,
				    .set_timer = set_timer,
				    .check_event = check_event,
				    .close_event = close_event };
struct efi_world efi = { .bs = &services };

/* ---- the tests ---- */

static const struct sock_addr server = {
	.host = { .len = 4, .ip = { 192, 0, 2, 1 } },
	.port = 10809,
};

static int setup(void **state)
{
	struct nbd_diag d;

	(void)state;
	memset(&fw, 0, sizeof(fw));
	memset(&net, 0, sizeof(net));
	assert_int_equal(efi_tcp4_open(&net, &nic, &d), 0);
	return 0;
}

static int all_is_given_back(void **state)
{
	(void)state;
	efi_tcp4_close(&net);
	assert_int_equal(fw.children, 0);
	assert_int_equal(fw.events, 0);
	assert_int_equal(fw.pages, 0);
	return 0;
}

static void done(struct efi_tcp4_io *io)
{
	++*(int *)io->event;
}

static struct child *child_of(const struct sock *s)
{
	return link_of(s)->child;
}

static void begin(struct sock *s)
{
	struct nbd_event ev = { .want = NBD_SEND };

	assert_int_equal(net.net.connect(&net.net, s, &server), NBD_E_AGAIN);
	ev.fd = s->fd;
	done(child_of(s)->connect);
	assert_int_equal(net.net.wait(&net.net, &ev, 1, 0), 0);
	assert_true(ev.ready);
	assert_int_equal(net.net.connected(s), 0);
}

/* One byte comes. */
static void deliver(const struct sock *s, unsigned char byte)
{
	struct efi_tcp4_io *io = child_of(s)->rx;

	assert_non_null(io);
	*(unsigned char *)io->data.piece.at = byte;
	io->data.len = 1;
	child_of(s)->rx = NULL;
	done(io);
}

/* The buffer has room for more than comes. */
static int get(struct sock *s)
{
	unsigned char bytes[2];
	int n = s->t.read(&s->t, bytes, sizeof(bytes));

	assert_true(n <= 1);
	return n == 1 ? bytes[0] : n;
}

static void each_connection_has_its_own_bytes(void **state)
{
	struct sock a, b;

	(void)state;
	begin(&a);
	begin(&b);
	assert_int_not_equal(a.fd, b.fd);
	deliver(&b, 'b');
	assert_int_equal(get(&a), NBD_E_AGAIN);
	deliver(&a, 'a');
	assert_int_equal(get(&a), 'a');
	assert_int_equal(get(&b), 'b');
	a.t.close(&a.t);
	assert_int_equal(a.fd, -1);
	deliver(&b, 'c');
	assert_int_equal(get(&b), 'c');
}

static void one_too_many_is_refused(void **state)
{
	struct sock s[LINKS], more;

	(void)state;
	for (unsigned i = 0; i < LINKS; i++)
		begin(&s[i]);
	assert_int_equal(net.net.connect(&net.net, &more, &server),
			 NBD_E_NO_MEMORY);
	assert_int_equal(more.fd, -1);
	s[1].t.close(&s[1].t);
	begin(&more);
}

/* Memory, three events, the child, its protocol, its configuration, the call. */
static void what_fails_half_way_is_given_back(void **state)
{
	struct sock s;

	for (unsigned i = 1; i <= 8; i++) {
		fw.step = 0;
		fw.fails = i;
		assert_true(net.net.connect(&net.net, &s, &server) < 0);
		assert_int_equal(fw.step, i);
		assert_int_equal(s.fd, -1);
		assert_null(net.links[0].child);
		all_is_given_back(state);
	}
	fw.step = 0;
	fw.fails = 9;
	begin(&s);
	assert_int_equal(fw.step, 8);
}

/* What came before it is read, and not a second time. */
static void a_reset_ends_what_is_read(void **state)
{
	struct sock s;

	(void)state;
	begin(&s);
	deliver(&s, 'a');
	fw.reset = true;
	assert_int_equal(get(&s), 'a');
	assert_int_equal(get(&s), NBD_E_RESET);
	assert_int_equal(get(&s), NBD_E_RESET);
}

/* By the numbers of the UEFI specification, appendix D. */
static void a_failed_connect_has_its_reason(void **state)
{
	static const struct {
		efi_status status;
		int err;
	} ends[] = { { EFI_TIMEOUT, NBD_E_TIMEOUT },
		     { EFI_ERROR(100u), NBD_E_UNREACHABLE }, /* network */
		     { EFI_ERROR(101u), NBD_E_UNREACHABLE }, /* host */
		     { EFI_ERROR(102u), NBD_E_UNREACHABLE }, /* protocol */
		     { EFI_ERROR(103u), NBD_E_REFUSED },     /* port */
		     { EFI_ERROR(106u), NBD_E_REFUSED } };
	struct sock s;

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		assert_int_equal(net.net.connect(&net.net, &s, &server),
				 NBD_E_AGAIN);
		child_of(&s)->connect->status = ends[i].status;
		assert_int_equal(net.net.connected(&s), ends[i].err);
		s.t.close(&s.t);
	}
}

static void an_outage_is_waited_for_at_rest(void **state)
{
	struct nbd_event ev = { .want = NBD_RECV };
	struct sock s;

	(void)state;
	begin(&s);
	ev.fd = s.fd;
	world.step = 10; /* ms that each turn takes */
	halts = 0;
	assert_int_equal(net.net.wait(&net.net, &ev, 1, 90), 0);
	assert_int_equal(halts, 0);
	assert_int_equal(net.net.wait(&net.net, &ev, 1, 500), 0);
	assert_in_range(halts, 10, 50);
	deliver(&s, 'a');
	halts = 0;
	assert_int_equal(net.net.wait(&net.net, &ev, 1, 500), 0);
	assert_true(ev.ready);
	assert_int_equal(halts, 0);
	world.step = 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, all_is_given_back)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_connection_has_its_own_bytes),
		TEST(one_too_many_is_refused),
		TEST(what_fails_half_way_is_given_back),
		TEST(a_reset_ends_what_is_read),
		TEST(a_failed_connect_has_its_reason),
		TEST(an_outage_is_waited_for_at_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
