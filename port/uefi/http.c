/* SPDX-License-Identifier: BSD-2-Clause */
/* A request and its answer: UEFI specification 2.10, section 29.6. */
#include "port/uefi/http.h"

#include <string.h>
#include <strings.h>

#define PATIENCE_MS 5000
#define STATUS_OK   3u /* its place in the firmware's list */
#define URL	    512
#define SCHEME	    "http://"
#define SCHEME_LEN  (sizeof(SCHEME) - 1)

struct access {
	efi_bool use_default;
	uint8_t addr[4], mask[4];
	uint16_t port;
};

struct config {
	unsigned version; /* 1: HTTP/1.1 */
	uint32_t ms;
	efi_bool ip6;
	struct access *access;
};

struct header {
	char *name, *value;
};

struct request {
	unsigned method; /* 0: GET */
	efi_char *url;
};

struct message {
	void *data; /* struct request, or unsigned: the status */
	size_t headers;
	struct header *header;
	size_t len;
	void *body;
};

struct token {
	efi_event event;
	efi_status status;
	struct message *message;
	uint64_t end; /* ours: of nbd_now_ms(), for all of it */
};

struct http {
	void *mode;
	efi_status (*configure)(struct http *, struct config *);
	efi_status (*request)(struct http *, struct token *);
	efi_status (*cancel)(struct http *, struct token *);
	efi_status (*response)(struct http *, struct token *);
	efi_status (*poll)(struct http *);
};

/* Gives the token to the firmware, and waits for its end. */
static int run(struct http *h, struct token *t,
	       efi_status (*give)(struct http *, struct token *))
{
	efi_status s = give(h, t);

	if (s)
		return efi_error(s);
	while (efi.bs->check_event(t->event)) {
		h->poll(h);
		if (nbd_now_ms() < t->end)
			continue;
		h->cancel(h, t);
		return NBD_E_TIMEOUT;
	}
	return efi_error(t->status);
}

/* The length that the headers give, -1: over cap, or none; they are freed. */
static long length_of(struct message *m, size_t cap)
{
	long n = -1;

	for (size_t i = 0; i < m->headers; i++) {
		struct header *h = &m->header[i];

		if (!strncasecmp(h->name, "Content-Length", 15))
			n = nbd_number(h->value, 0, (long)cap);
		efi_free(h->name);
		efi_free(h->value);
	}
	efi_free(m->header);
	return n;
}

static int send(struct http *h, struct token *t, const char *url)
{
	efi_char wide[URL];
	char host[URL], name[] = "Host";
	const char *begin = url + SCHEME_LEN;
	struct header header = { name, host };
	struct request q = { .url = wide };
	struct message m = { .data = &q, .headers = 1, .header = &header };
	size_t n;

	if (strncasecmp(url, SCHEME, SCHEME_LEN) != 0 ||
	    efi_widen(wide, URL, url, false) < 0)
		return NBD_E_USAGE;
	n = strcspn(begin, "/");
	memcpy(host, begin, n);
	host[n] = '\0';
	t->message = &m;
	return run(h, t, h->request);
}

static int receive(struct http *h, struct token *t, char *buf, size_t cap)
{
	unsigned status = 0;
	struct message m = { .data = &status, .len = cap, .body = buf };
	size_t got;
	long len;
	int rc;

	t->message = &m;
	rc = run(h, t, h->response);
	len = length_of(&m, cap);
	if (!rc && status != STATUS_OK)
		rc = NBD_E_NOT_FOUND;
	if (!rc && len < 0)
		rc = NBD_E_NO_MEMORY;
	for (got = m.len; !rc && got < (size_t)len; got += m.len) {
		m = (struct message){ .len = (size_t)len - got,
				      .body = buf + got };
		rc = run(h, t, h->response);
		if (!rc && !m.len)
			rc = NBD_E_CUT;
	}
	return rc ? rc : (int)len;
}

static int talk(struct http *h, const struct efi_http_from *from,
		const char *url, void *buf, size_t cap)
{
	struct access a = { .port = 0 };
	struct config c = { .version = 1, .ms = PATIENCE_MS, .access = &a };
	struct token t = { .end = nbd_now_ms() + PATIENCE_MS };
	int rc;

	memcpy(a.addr, from->addr, 4);
	memcpy(a.mask, from->mask, 4);
	if (h->configure(h, &c) ||
	    efi.bs->create_event(0, EFI_TPL_CALLBACK, NULL, NULL, &t.event))
		return NBD_E_NO_DEVICE;
	rc = send(h, &t, url);
	if (!rc)
		rc = receive(h, &t, buf, cap);
	efi.bs->close_event(t.event);
	h->configure(h, NULL);
	return rc;
}

int efi_http_get(const struct efi_http_from *from, const char *url, void *buf,
		 size_t cap)
{
	struct efi_binding *b = efi_protocol(from->nic, &efi_guid_http_binding);
	efi_handle child = NULL;
	struct http *h;
	int rc;

	if (strlen(url) >= URL)
		return NBD_E_USAGE;
	if (!b || b->create(b, &child))
		return NBD_E_NO_DEVICE;
	h = efi_protocol(child, &efi_guid_http);
	rc = h ? talk(h, from, url, buf, cap) : NBD_E_NO_DEVICE;
	b->destroy(b, child);
	return rc;
}
