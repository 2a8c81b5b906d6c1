/* SPDX-License-Identifier: BSD-2-Clause */
/* A request and its answer: UEFI specification 2.10, section 29.6. */
#include "port/uefi/http.h"

#include <string.h>
#include <strings.h>

#include "port/uefi/http_body.h"

#define PATIENCE_MS 5000
/* Their places in the firmware's list. */
#define STATUS_OK   3u
#define STATUS_NONE 21u /* 404 */
#define URL	    512
#define SCHEME	    "http://"
#define SCHEME_LEN  (sizeof(SCHEME) - 1)

/* Zeros: any port, and for IPv6 the address that suits the server. */
union access {
	struct {
		efi_bool use_default;
		uint8_t addr[4], mask[4];
		uint16_t port;
	} v4;
	struct {
		uint8_t addr[16];
		uint16_t port;
	} v6;
};

struct config {
	unsigned version; /* 1: HTTP/1.1 */
	uint32_t ms;
	efi_bool ip6;
	union access *access;
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
static efi_status run(struct http *h, struct token *t,
		      efi_status (*give)(struct http *, struct token *))
{
	efi_status s = give(h, t);

	if (s)
		return s;
	while (efi.bs->check_event(t->event)) {
		h->poll(h);
		if (nbd_now_ms() < t->end)
			continue;
		h->cancel(h, t);
		return EFI_TIMEOUT;
	}
	return t->status;
}

/* Only after a success: the firmware may have freed them. */
static void take_headers(struct message *m, struct efi_http_body *b)
{
	for (size_t i = 0; i < m->headers; i++) {
		efi_http_body_header(b, m->header[i].name, m->header[i].value);
		efi_free(m->header[i].name);
		efi_free(m->header[i].value);
	}
	efi_free(m->header);
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
	return efi_error(run(h, t, h->request));
}

static int receive(struct http *h, struct token *t, char *buf, size_t cap)
{
	struct efi_http_body b = { .length = 0 };
	unsigned status = 0;
	struct message m = { .data = &status, .len = cap, .body = buf };
	efi_status s;
	size_t n = 0;
	int rc;

	t->message = &m;
	s = run(h, t, h->response);
	if (!s)
		take_headers(&m, &b);
	if (status != STATUS_OK)
		return status == STATUS_NONE ? NBD_E_NOT_FOUND
		       : s		     ? efi_error(s)
					     : NBD_E_IO;
	for (;;) {
		if (s && s != EFI_CONNECTION_FIN)
			return efi_error(s);
		n += s ? 0 : m.len;
		/* the firmware has nothing more: this is the end as well */
		rc = efi_http_body_end(&b, buf, n, s || !m.len);
		if (rc != NBD_E_AGAIN)
			return rc;
		if (n == cap)
			return NBD_E_NO_MEMORY;
		m = (struct message){ .len = cap - n, .body = buf + n };
		s = run(h, t, h->response);
	}
}

static int talk(struct http *h, const struct efi_http_from *from,
		const char *url, void *buf, size_t cap)
{
	union access a = { .v6 = { .port = 0 } };
	struct config c = { .version = 1,
			    .ms = PATIENCE_MS,
			    .ip6 = !from->addr.len,
			    .access = &a };
	struct token t = { .end = nbd_now_ms() + PATIENCE_MS };
	int rc;

	if (from->addr.len) {
		memcpy(a.v4.addr, from->addr.ip, 4);
		nbd_ip_to_mask(from->addr.prefix, a.v4.mask);
	}
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
