/* SPDX-License-Identifier: BSD-2-Clause */
/* resolv.conf as people write it; interop/test_dns.sh has the questions. */
#include "port/posix/dns.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "boot/net/state.h"
#include "port/posix/lines.h"
#include "tests/unit.h"

static char path[] = "/tmp/test_dns.XXXXXX";
static struct dns_conf c;

static void conf(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	fclose(file);
	dns_conf_read(&c, path);
}

static void every_word_is_read(void **state)
{
	(void)state;
	conf("# nameserver 192.0.2.9\n"
	     "domain left.example\n"
	     "search a.example\tb.example # the last one counts\n"
	     "  nameserver 192.0.2.1 ; first\n"
	     "nameserver fe80::1%lo\r\n"
	     "nameserver nobody\nnameserver\n"
	     "nameserver 2001:db8::1\nnameserver 192.0.2.4\n"
	     "options rotate ndots:2 timeout:3 attempts:4 ndots:x\n"
	     "sortlist 192.0.2.0");
	assert_int_equal(c.n, 4);
	assert_int_equal(c.server[0].host.len, 4);
	assert_int_equal(c.server[0].port, DNS_PORT);
	assert_memory_equal(c.server[0].host.ip, "\xc0\0\2\1", 4);
	assert_int_equal(c.server[1].host.len, 16);
	assert_int_equal(c.server[1].zone, 1);
	assert_int_equal(c.server[2].host.ip[15], 1);
	assert_int_equal(c.server[2].zone, 0);
	assert_string_equal(c.search, "a.example b.example");
	assert_int_equal(c.ndots, 2);
	assert_int_equal(c.timeout_ms, 3000);
	assert_int_equal(c.attempts, 4);
}

static void a_zone_is_a_name_or_a_number(void **state)
{
	(void)state;
	conf("nameserver fe80::1%\nnameserver fe80::1%0\n"
	     "nameserver fe80::1%nobody\nnameserver fe80::1%4294967296\n"
	     "nameserver fe80::1%lo\nnameserver fe80::1%77\n");
	assert_int_equal(c.n, 2);
	assert_int_equal(c.server[0].zone, 1);
	assert_int_equal(c.server[1].zone, 77);
}

static void what_is_missing_or_too_much_has_its_default(void **state)
{
	char text[800] = "search ";

	(void)state;
	conf("");
	assert_int_equal(c.n, 1);
	assert_memory_equal(c.server[0].host.ip, "\x7f\0\0\1", 4);
	assert_int_equal(c.ndots, 1);
	assert_int_equal(c.timeout_ms, 5000);
	assert_int_equal(c.attempts, 2);
	unlink(path);
	dns_conf_read(&c, path);
	assert_int_equal(c.n, 1);
	conf("options timeout:0 attempts:0\n");
	assert_int_equal(c.timeout_ms, 1000);
	assert_int_equal(c.attempts, 1);
	conf("options timeout:999 attempts:99 ndots:99\n");
	assert_int_equal(c.timeout_ms, 30000);
	assert_int_equal(c.attempts, 5);
	assert_int_equal(c.ndots, 15);
	conf("search a b c d e f g h i j k l m n o p q r s t u v w x y z");
	assert_int_equal(strlen(c.search), 2 * 26 - 1);
	/* whole domains, and of a line its first 511 bytes */
	memset(text + 7, 'd', sizeof(text) - 8);
	for (size_t i = 7; i < 700; i += 100)
		text[i + 99] = ' ';
	conf(text);
	assert_int_equal(strlen(c.search), 99 + 1 + 99);
}

static void take_last(void *ctx, char *word[])
{
	for (unsigned i = 0; i < LINES_WORDS && *word[i]; i++)
		snprintf(ctx, 600, "%s", word[i]);
}

/* The first half of a name is another host's. */
static void a_word_that_does_not_fit_is_none(void **state)
{
	char text[800], last[600] = "";

	(void)state;
	for (int len = 490; len < 505; len++) {
		snprintf(text, sizeof(text),
			 "192.0.2.1 %0*d srv12345.test %060d\n", len - 10, 0,
			 0);
		conf(text);
		lines_each(path, take_last, last);
		if (len + 14 < 511)
			assert_string_equal(last, "srv12345.test");
		else
			assert_int_equal(strlen(last), len - 10);
	}
	memset(text, 'd', 700);
	text[700] = '\0';
	conf(text);
	last[0] = '\0';
	lines_each(path, take_last, last);
	assert_string_equal(last, "");
}

static void every_server_that_boot_net_writes_is_read(void **state)
{
	char text[800];
	size_t n = 0;

	(void)state;
	for (size_t i = 1; i <= NET_DNS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "nameserver 192.0.2.%zu\n", i);
	conf(text);
	assert_int_equal(c.n, NET_DNS);
	assert_int_equal(c.server[c.n - 1].host.ip[3], NET_DNS);
	/* and no more than there is room for */
	for (size_t i = 1; i <= NET_DNS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "nameserver 192.0.2.%zu\n", i);
	conf(text);
	assert_int_equal(c.n, DNS_SERVERS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_read),
		cmocka_unit_test(every_server_that_boot_net_writes_is_read),
		cmocka_unit_test(a_word_that_does_not_fit_is_none),
		cmocka_unit_test(a_zone_is_a_name_or_a_number),
		cmocka_unit_test(what_is_missing_or_too_much_has_its_default),
	};
	int fd = mkstemp(path), failed;

	close(fd);
	failed = cmocka_run_group_tests_name("resolv.conf", tests, NULL, NULL);
	unlink(path);
	return failed;
}
