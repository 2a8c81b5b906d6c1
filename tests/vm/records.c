/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An NBD server with TLS that sends records which are no data, after the
 * client's kernel has the connection:
 *
 *	records PORT CERTIFICATE KEY SERVER-PORT [SUITE]
 *
 *	client <== TLS ==> a child for each connection <== plain ==> server
 *
 * It writes "ready" when it listens.  Each line of its standard input is one of
 * the kinds below, which the latest connection sends; then it writes "sent".  It
 * ends with the input.
 * SUITE is mbedTLS's name of the only one that it has; without it, it has those
 * of TLS 1.2.
 */
#define MBEDTLS_ALLOW_PRIVATE_ACCESS
#include <mbedtls/ssl.h>
#include <psa/crypto.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* proto.md: the greeting, and the acknowledgement of NBD_OPT_STARTTLS */
#define GREETING "NBDMAGICIHAVEOPT\0\3"
#define ACK	 "\0\3\350\211\4\125\145\251\0\0\0\5\0\0\0\1\0\0\0\0"

static mbedtls_ssl_context ssl;
static int client;	  /* the socket of ssl */
static int upstream = -1; /* the server's; none yet */

/*
 * Ends this process.  The server closes first: nbdkit 1.32 aborts if it has an
 * answer for a connection that was reset.
 */
static void leave(int status)
{
	char rest[16384];

	shutdown(upstream, SHUT_WR);
	while (read(upstream, rest, sizeof(rest)) > 0)
		;
	exit(status);
}

static void die(const char *what)
{
	fprintf(stderr, "records: %s failed\n", what);
	leave(1);
}

static int address(int port, bool server)
{
	const struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons((unsigned short)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (server ? bind(fd, (const struct sockaddr *)&a, sizeof(a)) ||
			     listen(fd, 16)
		   : connect(fd, (const struct sockaddr *)&a, sizeof(a)))
		die(server ? "bind" : "connect");
	return fd;
}

/* What ends here is a connection that its other side has left. */
static void must_read(int fd, void *buf, size_t len)
{
	if (recv(fd, buf, len, MSG_WAITALL) != (ssize_t)len)
		leave(0);
}

static void must_write(int fd, const void *buf, size_t len)
{
	if (send(fd, buf, len, MSG_NOSIGNAL) != (ssize_t)len)
		leave(0);
}

/* ---- what a line of input sends ---- */

static int hello_request(void)
{
	return mbedtls_ssl_renegotiate(&ssl);
}

static int warning(void)
{
	return mbedtls_ssl_send_alert_message(
		&ssl, MBEDTLS_SSL_ALERT_LEVEL_WARNING,
		MBEDTLS_SSL_ALERT_MSG_USER_CANCELED);
}

static int close_notify(void)
{
	return mbedtls_ssl_close_notify(&ssl);
}

/* mbedTLS's own */
int mbedtls_ssl_write_record(mbedtls_ssl_context *s, int force);

static int message(const unsigned char *text, size_t len)
{
	ssl.out_msgtype = MBEDTLS_SSL_MSG_HANDSHAKE;
	ssl.out_msglen = len;
	memcpy(ssl.out_msg, text, len);
	return mbedtls_ssl_write_record(&ssl, 1);
}

/* A message that only a handshake has: ServerHelloDone. */
static int handshake(void)
{
	static const unsigned char done[4] = { 14 };

	return message(done, sizeof(done));
}

/* TLS 1.3: our next record would have another key. */
static int key_update(void)
{
	static const unsigned char update[5] = { 24, 0, 0, 1, 0 };

	return message(update, sizeof(update));
}

/* A record of data whose tag is wrong. */
static int forged(void)
{
	static const char record[69] = "\27\3\3\0\100";

	must_write(client, record, sizeof(record));
	return 0;
}

/* No record at all. */
static int garbage(void)
{
	static const char text[] = "HTTP/1.1 400 Bad Request\r\n\r\n";

	must_write(client, text, sizeof(text));
	return 0;
}

static const struct kind {
	const char *name;
	int (*send)(void);
} kinds[] = {
	{ "hello-request", hello_request },
	{ "warning", warning },
	{ "close-notify", close_notify },
	{ "handshake", handshake },
	{ "key-update", key_update },
	{ "forged", forged },
	{ "garbage", garbage },
};

/* ---- a connection ---- */

/* The client asks for TLS first; the server's greeting was ours. */
static void start(int server_port)
{
	char flags[4], option[16], greeting[18];

	upstream = address(server_port, false);
	must_write(client, GREETING, sizeof(GREETING) - 1);
	must_read(client, flags, sizeof(flags));
	must_read(client, option, sizeof(option));
	must_write(client, ACK, sizeof(ACK) - 1);
	if (mbedtls_ssl_handshake(&ssl))
		die("handshake");
	must_read(upstream, greeting, sizeof(greeting));
	must_write(upstream, flags, sizeof(flags));
}

static void to_server(void)
{
	unsigned char buf[16384];

	do {
		int n = mbedtls_ssl_read(&ssl, buf, sizeof(buf));

		if (n <= 0)
			leave(0);
		must_write(upstream, buf, (size_t)n);
	} while (mbedtls_ssl_get_bytes_avail(&ssl));
}

static void to_client(void)
{
	unsigned char buf[16384];
	ssize_t n = read(upstream, buf, sizeof(buf));

	if (n <= 0)
		leave(0);
	for (ssize_t sent = 0; sent < n;) {
		int done =
			mbedtls_ssl_write(&ssl, buf + sent, (size_t)(n - sent));

		if (done <= 0)
			leave(0);
		sent += done;
	}
}

static void relay(int orders)
{
	struct pollfd p[] = { { client, POLLIN, 0 },
			      { upstream, POLLIN, 0 },
			      { orders, POLLIN, 0 } };
	unsigned char i;

	while (poll(p, 3, -1) > 0) {
		if (p[0].revents)
			to_server();
		if (p[1].revents)
			to_client();
		if (!p[2].revents)
			continue;
		if (read(orders, &i, 1) != 1)
			leave(0);
		if (kinds[i].send())
			die(kinds[i].name);
		puts("sent");
		fflush(stdout);
	}
}

/* ---- the listener ---- */

static int tls_send(void *unused, const unsigned char *buf, size_t len)
{
	(void)unused;
	return (int)send(client, buf, len, MSG_NOSIGNAL);
}

static int tls_receive(void *unused, unsigned char *buf, size_t len)
{
	(void)unused;
	return (int)recv(client, buf, len, 0);
}

static void serve(int orders, const mbedtls_ssl_config *conf, int server_port)
{
	if (mbedtls_ssl_setup(&ssl, conf))
		die("mbedtls_ssl_setup");
	mbedtls_ssl_set_bio(&ssl, NULL, tls_send, tls_receive, NULL);
	start(server_port);
	relay(orders);
}

/*
 * Passes the order of a line on to the latest connection, unless that has ended;
 * false at the end of the input.
 */
static bool obey(int orders)
{
	char line[64];

	if (!fgets(line, sizeof(line), stdin))
		return false;
	line[strcspn(line, "\n")] = '\0';
	for (unsigned char i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(line, kinds[i].name))
			continue;
		if (write(orders, &i, 1) != 1)
			fprintf(stderr, "records: %s comes too late\n", line);
		return true;
	}
	die(line);
	return false;
}

static int random_bytes(void *unused, unsigned char *p, size_t len)
{
	(void)unused;
	return getrandom(p, len, 0) == (ssize_t)len ? 0 : -1;
}

/* Reads a file of PEM; *len counts the NUL at its end, as mbedTLS does. */
static const unsigned char *pem(const char *path, size_t *len)
{
	static unsigned char text[65536];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	if (n < 0)
		die(path);
	text[n] = '\0';
	*len = (size_t)n + 1;
	return text;
}

/* TLS 1.3 asks for random bytes by this name. */
psa_status_t
mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *unused,
				uint8_t *p, size_t size, size_t *len)
{
	*len = size;
	return random_bytes(unused, p, size) ? PSA_ERROR_INSUFFICIENT_ENTROPY
					     : PSA_SUCCESS;
}

/* The one suite, or all of TLS 1.2. */
static void choose(mbedtls_ssl_config *conf, const char *suite)
{
	static int suites[2];
	bool is_13 = suite && !strncmp(suite, "TLS1-3-", 7);
	mbedtls_ssl_protocol_version version =
		is_13 ? MBEDTLS_SSL_VERSION_TLS1_3 : MBEDTLS_SSL_VERSION_TLS1_2;

	mbedtls_ssl_conf_min_tls_version(conf, version);
	mbedtls_ssl_conf_max_tls_version(conf, version);
	if (is_13 && psa_crypto_init())
		die("psa_crypto_init");
	if (suite) {
		suites[0] = mbedtls_ssl_get_ciphersuite_id(suite);
		mbedtls_ssl_conf_ciphersuites(conf, suites);
	}
}

static void configure(mbedtls_ssl_config *conf, const char *cert,
		      const char *key, const char *suite)
{
	static mbedtls_x509_crt crt;
	static mbedtls_pk_context pk;
	size_t len;
	const unsigned char *text = pem(cert, &len);

	if (mbedtls_x509_crt_parse(&crt, text, len))
		die(cert);
	text = pem(key, &len);
	if (mbedtls_pk_parse_key(&pk, text, len, NULL, 0, random_bytes, NULL) ||
	    mbedtls_ssl_config_defaults(conf, MBEDTLS_SSL_IS_SERVER,
					MBEDTLS_SSL_TRANSPORT_STREAM,
					MBEDTLS_SSL_PRESET_DEFAULT) ||
	    mbedtls_ssl_conf_own_cert(conf, &crt, &pk))
		die(key);
	choose(conf, suite);
	mbedtls_ssl_conf_rng(conf, random_bytes, NULL);
	mbedtls_ssl_conf_renegotiation(conf, MBEDTLS_SSL_RENEGOTIATION_ENABLED);
}

int main(int argc, char **argv)
{
	static mbedtls_ssl_config conf;
	struct pollfd p[2] = { { 0, POLLIN, 0 }, { -1, POLLIN, 0 } };
	int orders = -1;

	if (argc != 5 && argc != 6)
		die("usage: records PORT CERTIFICATE KEY SERVER-PORT [SUITE]:");
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	configure(&conf, argv[2], argv[3], argv[5]);
	p[1].fd = address(atoi(argv[1]), true);
	setvbuf(stdin, NULL, _IONBF, 0);
	puts("ready");
	fflush(stdout);
	while (poll(p, 2, -1) > 0) {
		int pipe_[2];

		if (p[0].revents && !obey(orders))
			return 0;
		if (!p[1].revents)
			continue;
		client = accept(p[1].fd, NULL, NULL);
		if (client < 0 || pipe(pipe_))
			die("accept");
		if (orders >= 0)
			close(orders);
		orders = pipe_[1];
		if (fork() == 0) {
			close(p[1].fd); /* its port is the parent's to free */
			close(orders);
			serve(pipe_[0], &conf, atoi(argv[4]));
		}
		close(client);
		close(pipe_[0]);
	}
	return 1;
}
