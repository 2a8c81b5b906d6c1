/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of nbdboot.clone= and `nbdboot clone`. */
#include "boot/clone/spec.h"

#include <string.h>

static bool is(const char *p, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(p, word, len);
}

static bool has_form(const char *device)
{
	static const char *const forms[] = { "/dev/", "PARTUUID=", "PARTLABEL=",
					     "UUID=", "serial=" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t len = strlen(forms[i]);

		if (!strncmp(device, forms[i], len) && device[len])
			return true;
	}
	return false;
}

static int option(struct clone_spec *s, const char *p, size_t len,
		  struct nbd_diag *d)
{
	long rate = -1;

	if (is(p, len, "erase")) {
		s->erase = true;
	} else if (is(p, len, "again")) {
		s->again = true;
	} else {
		if (len > 5 && !memcmp(p, "rate=", 5))
			rate = nbd_numbern(p + 5, len - 5, 1, 1000000);
		if (rate < 0)
			return nbd_diag(d, NBD_E_USAGE,
					"%.*s: not erase, again, or rate= with "
					"the most MiB in a second",
					(int)len, p);
		s->rate = (unsigned)rate;
	}
	return NBD_OK;
}

int clone_spec_parse(struct clone_spec *s, const char *text, struct nbd_diag *d)
{
	size_t len = strcspn(text, ",");
	int rc = NBD_OK;

	*s = (struct clone_spec){ .rate = 0 };
	nbd_fmt(s->device, sizeof(s->device), "%.*s", (int)len, text);
	if (len >= sizeof(s->device) || !has_form(s->device))
		return nbd_diag(d, NBD_E_USAGE,
				"%s: not /dev/NAME, PARTUUID=, PARTLABEL=, "
				"UUID= or serial=",
				text);
	for (text += len; !rc && *text; text += len) {
		text++;
		len = strcspn(text, ",");
		rc = option(s, text, len, d);
	}
	return rc;
}

int clone_spec_stays(const struct clone_spec *s, struct nbd_diag *d)
{
	if (strncmp(s->device, "UUID=", 5) != 0 &&
	    !strstr(s->device, "/by-uuid/") && !strstr(s->device, "/by-label/"))
		return NBD_OK;
	return nbd_diag(d, NBD_E_USAGE,
			"%s is that of what is overwritten: name the device by "
			"PARTUUID=, PARTLABEL= or serial=",
			s->device);
}
