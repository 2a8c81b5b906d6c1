/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of files in RAM, for when their file system is gone. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/words/root.h"
#include "boot/device/tls.h"
#include "boot/words/credential.h"
#include "boot/init/shutdown.h"
#include "boot/init/steps.h"
#include "boot/reroot/reroot.h"

/* Bytes of a path; longer ones are refused. */
#define PATH_LEN 512
/* Bytes of a file of names: SHUTDOWN_HOME has 4 MiB in all. */
#define NAMES	 (256 << 10)

struct keep {
	bool unless_kept;
	struct nbd_diag *d;
};

static void make_directories(char *path)
{
	char *slash = path + sizeof(SHUTDOWN_HOME);

	while ((slash = strchr(slash, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash++ = '/';
	}
}

/* `must`: it has to exist. */
static int keep(const struct keep *k, const char *path, bool must)
{
	char to[PATH_LEN + sizeof(SHUTDOWN_HOME)];

	if (!path || !*path)
		return NBD_OK;
	/* with ".." the copy could be the file itself, which it empties first */
	if (*path != '/' || strstr(path, "/../") ||
	    nbd_fmt(to, sizeof(to), SHUTDOWN_HOME "%s", path) < 0)
		return nbd_diag(k->d, NBD_E_USAGE,
				"%s: not an absolute path without \"..\", or "
				"too long",
				path);
	if (access(path, F_OK) ? !must || !access(to, F_OK)
			       : k->unless_kept && !access(to, F_OK))
		return NBD_OK;
	make_directories(to);
	if (init_shutdown_copy(path, to, 0600))
		return nbd_diag(k->d, NBD_E_CREDENTIAL, "copy %s to %s: %s",
				path, to, strerror(errno));
	return NBD_OK;
}

/* The files of tls-certificates=. */
static int keep_directory(const struct keep *k, const char *dir)
{
	static const char *const names[] = { "ca-cert.pem", "client-cert.pem",
					     "client-key.pem" };
	char path[PATH_LEN];
	int rc = NBD_OK;

	for (size_t i = 0; *dir && !rc && i < 3; i++)
		rc = nbd_fmt(path, sizeof(path), "%s/%s", dir, names[i]) < 0
			     ? keep(k, dir, true)
			     : keep(k, path, false);
	return rc;
}

/*
 * Process 1 looks for credentials of the machine again, and finds those of
 * SMBIOS and fw_cfg.  What systemd-stub passed is in its initramfs alone.
 */
static int keep_credentials(const struct keep *k)
{
	char path[128];
	int rc = NBD_OK;

	for (size_t i = 0; i < CREDENTIALS && !rc; i++) {
		nbd_fmt(path, sizeof(path), CREDENTIALS_STUB "/%s.cred",
			boot_credential_names[i].name);
		rc = keep(k, path, false);
	}
	return rc;
}

/* Some lists of names to block have megabytes. */
static bool is_long(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size > NAMES;
}

/*
 * The names of this system's administrator, and the domains of others: the next
 * boot reads them as this system does.  Most roots need none.
 */
static void keep_names(const struct root_spec *r)
{
	static const char *const paths[] = { "/etc/resolv.conf", "/etc/hosts" };
	const struct nbd_uri *u = r->uri;
	struct nbd_diag d;
	const struct keep k = { .d = &d };
	struct nbd_ip ip;

	while (u < r->uri + r->uris &&
	       (!*u->host || nbd_ip_parse(&ip, u->host)))
		u++;
	for (size_t i = 0; u < r->uri + r->uris && i < 2; i++) {
		if (is_long(paths[i]))
			boot_say("%s is too long to be taken along", paths[i]);
		else if (keep(&k, paths[i], false))
			boot_say("%s", d.text);
	}
}

int reroot_keep(const struct root_spec *r, bool unless_kept, struct nbd_diag *d)
{
	const struct keep k = { unless_kept, d };
	const struct nbd_uri *u = r->uri;
	int rc = keep(&k, r->ca, true);

	if (!rc)
		rc = keep(&k, r->cert, true);
	if (!rc)
		rc = keep(&k, r->key, true);
	/* where neither the URI nor an option names one */
	if (!rc && r->tls)
		rc = keep(&k, device_tls_ca(), false);
	if (!rc)
		rc = keep_credentials(&k);
	for (; !rc && u < r->uri + r->uris; u++) {
		if (!u->tls)
			continue;
		rc = keep(&k, u->tls_psk_file, true);
		if (!rc)
			rc = keep_directory(&k, u->tls_certificates);
	}
	/* what must be there has its room */
	if (!rc)
		keep_names(r);
	return rc;
}

/* Those of this root: a later reroot may come back to it. */
static int do_keep(struct boot *b, struct nbd_diag *d)
{
	if (reroot_keep(&b->root, false, d))
		boot_say("cannot prepare the shutdown: %s", d->text);
	return NBD_OK;
}

const struct step reroot_keep_step = {
	.name = "way down",
	.run = do_keep,
	.hint = "",
};
