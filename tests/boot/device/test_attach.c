/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What device_attach() asks of the kernel.  The driver, the connections and the
 * disks are played.
 */
#include "boot/device/attach.h"
#include "boot/device/device.h"
#include "boot/device/dialer.h"
#include "boot/device/identity.h"
#include "boot/device/readers.h"
#include "boot/device/settle.h"
#include "port/linux/module.h"
#include "tests/core/script.h"
#include "tests/port/conn.h"
#include "tests/world/clock.h"
#include "tests/world/module.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define MIB   (1ull << 20)
#define INDEX 5

static struct machine {
	uint64_t size;
	uint16_t flags;
	uint32_t min_block;
	uint32_t other_min, other_max; /* of the second connection */
	bool no_driver, in_use;
	unsigned gone; /* tries before which the driver is unloaded */
	int gone_error;
	int settles;	 /* the result of the first open */
	unsigned unread; /* tries in which the kernel does not read all */
	unsigned dies; /* tries in which a connection dies at its first read */
	int unread_error; /* what reading over a new connection says ... */
	unsigned breaks;  /* ... in so many tries */
	unsigned other;	  /* the connection to another disk */
	bool no_identity; /* the export has none */
	int reconfigured; /* the result of setting the time-out */
	int signal;	  /* comes in CONNECT, or with `late` ... */
	bool late;	  /* ... when it is ready */
	/* what was done */
	bool writable;
	unsigned taken, avoided;
	bool last; /* no try was to follow */
	unsigned dialed, connected, disconnected, checked, opened;
	unsigned before; /* opened, when the last one was made */
	unsigned n_fds, flags_given;
	uint64_t timeout, later, dead, made; /* bytes */
	uint32_t block, limit;
	int limits; /* the result of limiting requests */
	int index;
	char backend[NBDK_BACKEND_MAX + 1];
} m;

static struct nbd_diag d;
static struct attach a;
static char buf[BACKEND_BUF];

/* ---- the driver ---- */

int __wrap_nbdk_status(int index, bool *connected, struct nbd_diag *diag);
int __wrap_nbdk_connect(const struct nbdk_conf *c, struct nbd_diag *diag);
int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *diag);
int __wrap_nbdk_disconnect(int index, struct nbd_diag *diag);
int __wrap_device_limit_set(int index, uint32_t max, struct nbd_diag *diag);
int __wrap_device_settle(int index, uint64_t size, bool last,
			 const struct device_signals *signals,
			 struct nbd_diag *diag);
void __wrap_device_dialer_avoid(struct device_dialer *dl);
bool __wrap_device_readers_await(int proc, int index, unsigned want);

int __wrap_nbdk_status(int index, bool *connected, struct nbd_diag *diag)
{
	(void)index;
	*connected = m.in_use;
	return m.no_driver ? nbd_diag(diag, NBD_E_NO_DRIVER, "no driver") : 0;
}

int __wrap_nbdk_connect(const struct nbdk_conf *c, struct nbd_diag *diag)
{
	if (m.connected++ < m.gone) {
		m.no_driver = m.gone_error == NBD_E_NO_DRIVER;
		return nbd_diag(diag, m.gone_error, "gone");
	}
	m.index = c->index;
	m.n_fds = c->n_fds;
	m.flags_given = c->server_flags;
	m.timeout = m.later = c->timeout;
	m.dead = c->dead_timeout;
	m.block = c->block_size;
	m.made = c->size;
	m.before = m.opened;
	assert_int_equal(c->client_flags, 0);
	snprintf(m.backend, sizeof(m.backend), "%s", c->backend);
	/* that also ends the wait for a busy device */
	assert_true(c->stop > 0 && fcntl(c->stop, F_GETFD) >= 0);
	if (m.signal && !m.late)
		raise(m.signal);
	return INDEX;
}

int __wrap_nbdk_reconfigure(const struct nbdk_conf *c, struct nbd_diag *diag)
{
	(void)diag;
	/* only when the device is ready */
	assert_int_equal(m.opened, m.dies + 1);
	assert_int_equal(c->index, INDEX);
	assert_int_equal(c->n_fds, 0);
	assert_true(c->size == NBDK_KEEP && c->dead_timeout == NBDK_KEEP &&
		    c->client_flags == NBDK_KEEP);
	assert_string_equal(c->backend, m.backend);
	m.later = c->timeout;
	if (m.late)
		raise(m.signal);
	return m.reconfigured;
}

int __wrap_nbdk_disconnect(int index, struct nbd_diag *diag)
{
	(void)diag;
	assert_int_equal(index, INDEX);
	m.disconnected++;
	return 0;
}

int __wrap_device_limit_set(int index, uint32_t max, struct nbd_diag *diag)
{
	(void)diag;
	assert_int_equal(index, INDEX);
	assert_int_equal(m.opened, m.before);
	m.limit = max;
	return m.limits;
}

int __wrap_device_settle(int index, uint64_t size, bool last,
			 const struct device_signals *signals,
			 struct nbd_diag *diag)
{
	(void)diag;
	assert_int_equal(index, INDEX);
	assert_int_equal(size, m.made);
	m.last = last;
	if (device_signals_came(signals)) {
		m.disconnected++;
		return NBD_E_INTERRUPTED;
	}
	if (m.opened++ < m.dies)
		return last ? NBD_E_TIMEOUT : NBD_E_AGAIN;
	return m.settles;
}

void __wrap_device_dialer_avoid(struct device_dialer *dl)
{
	(void)dl;
	m.avoided++;
}

bool __wrap_device_readers_await(int proc, int index, unsigned want)
{
	assert_true(proc >= 0);
	assert_int_equal(index, INDEX);
	assert_int_equal(want, a.b.connections);
	/* before the first request */
	assert_int_equal(m.opened, 0);
	return m.connected > m.unread;
}

/* ---- the server ---- */

int __wrap_device_dialer_open(struct device_dialer *dl, struct conn conns[],
			      const struct backend *b, bool read_only,
			      struct nbd_diag *diag);
int __wrap_device_identity_take(struct device_reader *r, struct conn *conn,
				bool writable, char text[DEVICE_IDENTITY_TEXT],
				struct nbd_diag *diag);
int __wrap_device_identity_check(struct device_reader *r, struct conn *conn,
				 const char *want, struct nbd_diag *diag);

static int send_away(struct nbd_transport *t, const struct nbd_iov v[],
		     unsigned n)
{
	(void)t, (void)n;
	return (int)v[0].len;
}

static struct nbd_transport away = { .write = send_away };

static void negotiate(struct conn *c, uint32_t min, uint32_t max)
{
	static const struct nbd_config cfg = { .name = "x", .name_len = 1 };
	static struct script script;

	script_start(&script);
	say_greeting(&script, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(&script, m.size, m.flags);
	if (min)
		say_info_block(&script, min, 8192, max);
	say_reply(&script, NBD_OPT_GO, NBD_REP_ACK, 0);
	memset(c, 0, sizeof(*c));
	nbd_init(&c->c, &cfg);
	play(&script, &c->c);
	assert_int_equal(nbd_state(&c->c), NBD_READY);
	c->t = &away;
	conn_open(c, open("/dev/null", O_RDWR | O_CLOEXEC));
	assert_true(c->s.fd >= 0);
}

int __wrap_device_dialer_open(struct device_dialer *dl, struct conn conns[],
			      const struct backend *b, bool read_only,
			      struct nbd_diag *diag)
{
	(void)dl, (void)diag;
	m.dialed++;
	assert_int_equal(read_only, a.read_only);
	for (unsigned i = 0; i < b->connections; i++)
		if (i == 1 && m.other_min)
			negotiate(&conns[i], m.other_min, m.other_max);
		else
			negotiate(&conns[i], m.min_block, 65536);
	return 0;
}

int __wrap_device_identity_take(struct device_reader *r, struct conn *conn,
				bool writable, char text[DEVICE_IDENTITY_TEXT],
				struct nbd_diag *diag)
{
	(void)r, (void)conn;
	m.writable = writable;
	if (m.taken++ < m.breaks)
		return nbd_diag(diag, m.unread_error, "it broke");
	strcpy(text, m.no_identity ? "" : "id1");
	return 0;
}

int __wrap_device_identity_check(struct device_reader *r, struct conn *conn,
				 const char *want, struct nbd_diag *diag)
{
	(void)r, (void)conn;
	assert_string_equal(want, "id1");
	if (++m.checked == m.other)
		return nbd_diag(diag, NBD_E_MISMATCH, "another disk");
	return 0;
}

/* ---- the tests ---- */

static unsigned files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int start(void **state)
{
	(void)state;
	world = (struct world){ .real = true };
	m = (struct machine){ .size = 64 * MIB,
			      .flags = NBD_FLAG_HAS_FLAGS |
				       NBD_FLAG_SEND_FLUSH |
				       NBD_FLAG_CAN_MULTI_CONN };
	a = (struct attach){ .b = { .connections = 1, .dead_timeout = -1 },
			     .index = -1,
			     .identity = true,
			     .io_timeout = ATTACH_DEFAULT };
	d.text[0] = '\0';
	return device_backend_parse_uris(&a.b, buf, "nbd://h/x", &d);
}

/* Nothing stays open, whatever happens. */
static int attach(void)
{
	unsigned before;
	int rc;

	/* it opens /run, once for all */
	device_want(INDEX, 0, NULL);
	before = files();
	rc = device_attach(&a, NULL, &d);

	assert_int_equal(files(), before);
	return rc;
}

static void a_device_is_made(void **state)
{
	uint16_t flags = 0;

	(void)state;
	a.flags = &flags;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(flags, m.flags);
	assert_int_equal(m.index, -1);
	assert_int_equal(m.n_fds, 1);
	assert_int_equal(m.block, 512);
	assert_int_equal(m.flags_given, m.flags);
	assert_string_equal(m.backend, "nbd://h/x identity=id1");
	assert_int_equal(m.disconnected, 0);
	assert_string_equal(world.loaded, "");
	assert_true(m.writable);
}

static void a_lost_request_does_not_delay_the_boot_for_long(void **state)
{
	(void)state;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.timeout, 10);
	assert_int_equal(m.later, 30);
	/* a pause, never an error */
	assert_true(m.dead >= 2000000);
	/* a shorter one is not changed */
	start(NULL);
	a.io_timeout = 7;
	a.b.dead_timeout = 60;
	m.reconfigured = NBD_E_KERNEL;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.timeout, 7);
	assert_int_equal(m.dead, 60);
	start(NULL);
	m.reconfigured = NBD_E_KERNEL;
	assert_int_equal(attach(), NBD_E_KERNEL);
	assert_int_equal(m.disconnected, 1);
	/* what the kernel cannot count would become a moment */
	start(NULL);
	a.io_timeout = a.b.dead_timeout = INT32_MAX;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.later, 86400);
	assert_int_equal(m.dead, sizeof(long) > 4 ? 315360000 : 2000000);
}

static void a_missing_driver_is_loaded(void **state)
{
	(void)state;
	m.no_driver = true;
	assert_int_equal(attach(), INDEX);
	assert_string_equal(world.loaded, "nbd\n");
	start(NULL);
	m.no_driver = true;
	world.no_module = NBD_E_NOT_FOUND;
	assert_int_equal(attach(), NBD_E_NO_DRIVER);
	/* before any server is asked */
	assert_int_equal(m.dialed, 0);
}

/* As while modprobe -r runs beside it; ENODEV is the kernel's word for that. */
static void a_driver_that_goes_meanwhile_is_loaded_again(void **state)
{
	(void)state;
	m.gone = 2;
	m.gone_error = NBD_E_NO_DRIVER;
	assert_int_equal(attach(), INDEX);
	assert_string_equal(world.loaded, "nbd\nnbd\n");
	assert_int_equal(m.dialed, 1);
	start(NULL);
	m.gone = 2;
	m.gone_error = NBD_E_NO_DEVICE;
	assert_int_equal(attach(), INDEX);
	start(NULL);
	m.gone = 100;
	m.gone_error = NBD_E_NO_DEVICE;
	assert_int_equal(attach(), NBD_E_NO_DEVICE);
	assert_int_equal(m.connected, 21);
}

static void a_device_in_use_is_refused_before_dialing(void **state)
{
	(void)state;
	a.index = INDEX;
	m.in_use = true;
	assert_int_equal(attach(), NBD_E_IN_USE);
	assert_string_equal(d.text, "nbd5 is connected already");
	assert_int_equal(m.dialed, 0);
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		uint64_t size;
		uint32_t min, block;
		int err;
	} cases[] = {
		{ 0, 0, 0, NBD_E_SIZE },	 { 511, 0, 0, NBD_E_SIZE },
		{ 4095, 4096, 0, NBD_E_SIZE },	 { MIB, 8192, 0, NBD_E_BLOCK },
		{ MIB, 4096, 512, NBD_E_USAGE }, { MIB, 0, 8192, NBD_E_USAGE },
		{ MIB, 0, 1536, NBD_E_USAGE },	 { MIB, 1, 0, INDEX },
		{ MIB, 4096, 0, INDEX },	 { MIB, 512, 4096, INDEX },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		start(NULL);
		m.size = cases[i].size;
		m.min_block = cases[i].min;
		a.block_size = cases[i].block;
		assert_int_equal(attach(), cases[i].err);
		assert_int_equal(m.connected, cases[i].err == INDEX);
	}
	assert_int_equal(m.block, 4096);
	/* some are too small */
	assert_null(strstr(nbd_err_hint(NBD_E_SIZE), "smaller"));
}

static void
bytes_beyond_the_last_block_are_left_out_with_a_warning(void **state)
{
	(void)state;
	m.size = 64 * MIB + 22;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.made, 64 * MIB);
	assert_string_equal(d.text,
			    "the export's size, 67108886 bytes, is no multiple "
			    "of the block size, 512: the last 22 bytes are not "
			    "part of the device");
	start(NULL);
	m.size = 64 * MIB + 512;
	m.min_block = 4096;
	a.read_only = true;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.made, 64 * MIB);
	assert_non_null(strstr(d.text, "block size, 4096: the last 512 bytes"));
	start(NULL);
	m.size = 64 * MIB + 512;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.made, m.size);
	assert_string_equal(d.text, "");
}

static void read_only_is_asked_of_the_kernel(void **state)
{
	(void)state;
	a.read_only = true;
	assert_int_equal(attach(), INDEX);
	assert_true(m.flags_given & NBD_FLAG_READ_ONLY);
	assert_false(m.writable);
	start(NULL);
	m.flags |= NBD_FLAG_READ_ONLY;
	assert_int_equal(attach(), INDEX);
	assert_false(m.writable);
}

static void the_identity_can_be_turned_off(void **state)
{
	(void)state;
	a.identity = false;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.taken, 0);
	assert_string_equal(m.backend, "nbd://h/x");
	/* and some exports have none */
	start(NULL);
	m.no_identity = true;
	assert_int_equal(attach(), INDEX);
	assert_string_equal(m.backend, "nbd://h/x");
}

static void servers_of_a_spread_device_must_have_one_disk(void **state)
{
	(void)state;
	for (unsigned other = 0; other <= 2; other++) {
		start(NULL);
		device_backend_parse_uris(&a.b, buf,
					  "nbd://a/x,nbd://b/x,nbd://c/x", &d);
		a.b.connections = 3;
		a.b.spread = true;
		m.other = other;
		assert_int_equal(attach(), other ? NBD_E_MISMATCH : INDEX);
		assert_int_equal(m.checked, other ? other : 2);
		assert_int_equal(m.connected, !other);
	}
	/* without identity nothing is compared */
	start(NULL);
	a.b.connections = 3;
	a.b.spread = true;
	a.identity = false;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.checked, 0);
}

static void spare_slots_are_filled(void **state)
{
	(void)state;
	a.b.connections = 2;
	a.b.slots = 4;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.n_fds, 4);
	assert_string_equal(m.backend,
			    "nbd://h/x connections=2 slots=4 identity=id1");
}

static void connections_that_are_not_read_are_made_again(void **state)
{
	(void)state;
	for (unsigned unread = 0; unread < 5; unread++) {
		start(NULL);
		a.b.connections = 2;
		m.unread = unread;
		assert_int_equal(attach(), INDEX);
		assert_int_equal(m.dialed, unread + 1);
		assert_int_equal(m.disconnected, unread);
		assert_int_equal(m.opened, 1);
		/* the server is not to blame */
		assert_int_equal(m.avoided, 0);
	}
	start(NULL);
	a.b.connections = 2;
	m.unread = 8;
	/* an outage: the boot tries again */
	assert_int_equal(attach(), NBD_E_AGAIN);
	assert_true(nbd_err_is_outage(NBD_E_AGAIN));
	assert_int_equal(m.disconnected, 8);
	assert_int_equal(m.opened, 0);
	/* one connection has no other before it */
	start(NULL);
	m.unread = 8;
	assert_int_equal(attach(), INDEX);
}

static void connections_that_die_at_once_are_made_again(void **state)
{
	(void)state;
	for (unsigned dies = 0; dies < 8; dies++) {
		start(NULL);
		m.dies = dies;
		assert_int_equal(attach(), INDEX);
		assert_int_equal(m.dialed, dies + 1);
		/* another server is asked first, and this one not too often */
		assert_int_equal(m.avoided, dies);
		assert_int_equal(world.pauses, dies);
		for (unsigned i = 0; i < dies; i++) {
			unsigned base = 50u << i;

			assert_in_range(world.pause[i], base / 2,
					base + base / 2 + 1);
		}
	}
	/* the last one is revived */
	assert_true(m.last);
	start(NULL);
	m.dies = 8;
	assert_int_equal(attach(), NBD_E_TIMEOUT);
	assert_int_equal(m.dialed, 8);
}

static void a_server_that_drops_its_first_read_is_asked_again(void **state)
{
	(void)state;
	m.unread_error = NBD_E_CUT;
	m.breaks = 7;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.dialed, 8);
	assert_int_equal(m.avoided, 7);
	start(NULL);
	m.unread_error = NBD_E_CUT;
	m.breaks = 8;
	assert_int_equal(attach(), NBD_E_CUT);
	assert_string_equal(d.text, "it broke");
	/* this one does not pass */
	start(NULL);
	m.unread_error = NBD_E_PROTOCOL;
	m.breaks = 1;
	assert_int_equal(attach(), NBD_E_PROTOCOL);
	assert_int_equal(m.dialed, 1);
	/* but another server may do better */
	start(NULL);
	device_backend_parse_uris(&a.b, buf, "nbd://a/x,nbd://b/x", &d);
	m.unread_error = NBD_E_PROTOCOL;
	m.breaks = 1;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.dialed, 2);
	assert_int_equal(m.avoided, 1);
}

static void a_server_that_is_silent_has_had_its_time(void **state)
{
	(void)state;
	m.unread_error = NBD_E_TIMEOUT;
	m.breaks = 9;
	assert_int_equal(attach(), NBD_E_TIMEOUT);
	assert_int_equal(m.dialed, 1);
	/* but not the others */
	start(NULL);
	device_backend_parse_uris(&a.b, buf, "nbd://a/x,nbd://b/x", &d);
	m.unread_error = NBD_E_TIMEOUT;
	m.breaks = 1;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.dialed, 2);
	assert_int_equal(m.avoided, 1);
	start(NULL);
	device_backend_parse_uris(&a.b, buf, "nbd://a/x,nbd://b/x", &d);
	m.unread_error = NBD_E_TIMEOUT;
	m.breaks = 9;
	assert_int_equal(attach(), NBD_E_TIMEOUT);
	assert_int_equal(m.dialed, 2);
	/* the last try says what it met */
	start(NULL);
	device_backend_parse_uris(&a.b, buf, "nbd://a/x,nbd://b/x", &d);
	m.dies = 7;
	m.taken = -7u; /* so the eighth breaks */
	m.unread_error = NBD_E_TIMEOUT;
	m.breaks = 1;
	assert_int_equal(attach(), NBD_E_TIMEOUT);
	assert_int_equal(m.dialed, 8);
}

static void a_signal_ends_all_tries(void **state)
{
	(void)state;
	device_backend_parse_uris(&a.b, buf, "nbd://a/x,nbd://b/x", &d);
	m.settles = NBD_E_INTERRUPTED;
	assert_int_equal(attach(), NBD_E_INTERRUPTED);
	assert_int_equal(m.dialed, 1);
	assert_int_equal(world.pauses, 0);
	/* and so it does while the identity is read */
	start(NULL);
	device_backend_parse_uris(&a.b, buf, "nbd://a/x,nbd://b/x", &d);
	m.unread_error = NBD_E_INTERRUPTED;
	m.breaks = 1;
	assert_int_equal(attach(), NBD_E_INTERRUPTED);
	assert_int_equal(m.dialed, 1);
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	handled = signal;
}

static bool is_blocked(int signal)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, signal);
}

static void a_signal_after_connect_leaves_no_device(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction to = { .sa_handler = handle }, before;

	(void)state;
	for (unsigned i = 0; i < 2 * ARRAY_SIZE(signals); i++) {
		start(NULL);
		m.signal = signals[i / 2];
		m.late = i % 2;
		handled = 0;
		sigaction(m.signal, &to, &before);
		assert_int_equal(attach(), NBD_E_INTERRUPTED);
		sigaction(m.signal, &before, NULL);
		assert_int_equal(m.connected, 1);
		assert_int_equal(m.disconnected, 1);
		assert_int_equal(m.opened, m.late);
		/* at the end it does what it does */
		assert_int_equal(handled, m.signal);
		assert_false(is_blocked(m.signal));
	}
}

static void an_ignored_signal_has_no_effect(void **state)
{
	struct sigaction to = { .sa_handler = SIG_IGN }, before;

	(void)state;
	m.signal = SIGHUP;
	sigaction(m.signal, &to, &before);
	assert_int_equal(attach(), INDEX);
	sigaction(m.signal, &before, NULL);
	assert_int_equal(m.disconnected, 0);
}

static void a_caller_can_hold_signals_longer(void **state)
{
	struct sigaction to = { .sa_handler = handle }, before;
	struct device_signals held;

	(void)state;
	handled = 0;
	sigaction(SIGTERM, &to, &before);
	assert_int_equal(device_attach(&a, &held, &d), INDEX);
	assert_false(device_signals_came(&held));
	raise(SIGTERM);
	assert_true(device_signals_came(&held));
	assert_int_equal(handled, 0);
	device_signals_release(&held);
	assert_int_equal(handled, SIGTERM);
	assert_false(is_blocked(SIGTERM));
	/* a failure leaves none held */
	start(NULL);
	m.settles = NBD_E_TIMEOUT;
	assert_int_equal(device_attach(&a, &held, &d), NBD_E_TIMEOUT);
	assert_false(is_blocked(SIGTERM));
	sigaction(SIGTERM, &before, NULL);
}

static void a_device_that_does_not_open_is_reported(void **state)
{
	(void)state;
	m.settles = NBD_E_TIMEOUT;
	assert_int_equal(attach(), NBD_E_TIMEOUT);
	assert_int_equal(m.later, 10);
}

static void requests_are_limited_before_the_device_is_opened(void **state)
{
	(void)state;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.limit, 32 * MIB);
	start(NULL);
	m.min_block = 512;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.limit, 65536);
	start(NULL);
	m.min_block = 512;
	m.limits = NBD_E_KERNEL;
	assert_int_equal(attach(), NBD_E_KERNEL);
	assert_int_equal(m.disconnected, 1);
	assert_int_equal(m.opened, 0);
}

static void servers_that_accept_less_are_not_asked_for_more(void **state)
{
	(void)state;
	a.b.connections = 2;
	m.min_block = 512;
	m.other_min = 2048;
	m.other_max = 16384;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.block, 2048);
	assert_int_equal(m.limit, 16384);
	start(NULL);
	a.b.connections = 2;
	m.min_block = 2048;
	m.other_min = 512;
	m.other_max = 1 << 20;
	assert_int_equal(attach(), INDEX);
	assert_int_equal(m.block, 2048);
	assert_int_equal(m.limit, 65536);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, start)
	const struct CMUnitTest tests[] = {
		TEST(a_device_is_made),
		TEST(a_lost_request_does_not_delay_the_boot_for_long),
		TEST(a_missing_driver_is_loaded),
		TEST(a_driver_that_goes_meanwhile_is_loaded_again),
		TEST(a_device_in_use_is_refused_before_dialing),
		TEST(sizes_that_do_not_fit_are_refused),
		TEST(bytes_beyond_the_last_block_are_left_out_with_a_warning),
		TEST(read_only_is_asked_of_the_kernel),
		TEST(the_identity_can_be_turned_off),
		TEST(servers_of_a_spread_device_must_have_one_disk),
		TEST(spare_slots_are_filled),
		TEST(connections_that_are_not_read_are_made_again),
		TEST(connections_that_die_at_once_are_made_again),
		TEST(a_server_that_drops_its_first_read_is_asked_again),
		TEST(a_server_that_is_silent_has_had_its_time),
		TEST(a_signal_ends_all_tries),
		TEST(a_signal_after_connect_leaves_no_device),
		TEST(an_ignored_signal_has_no_effect),
		TEST(a_caller_can_hold_signals_longer),
		TEST(a_device_that_does_not_open_is_reported),
		TEST(requests_are_limited_before_the_device_is_opened),
		TEST(servers_that_accept_less_are_not_asked_for_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
