/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The deployment, and how it is to be mounted:
 *
 *	/ostree/boot.1/OS/SUM/0 --links--> /ostree/deploy/OS/deploy/COMMIT.0
 *
 * All of it is an image's: links stay inside, and files are small.
 */
#include "boot/init/ostree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "port/linux/inside.h"

#define CONFIG "ostree/prepare-root.conf"
#define DEPLOY "/deploy"

static int missing(const struct ostree *o, struct nbd_diag *d, const char *what)
{
	return nbd_diag(d, errno == ENOENT ? NBD_E_NOT_FOUND : NBD_E_KERNEL,
			"ostree=%s: %s: %s", o->word, what, strerror(errno));
}

/* Cuts the path of the deployment to that of its state, and adds /var. */
static bool find_var(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || strncmp(path, "/ostree/deploy/", 15) != 0)
		return false;
	*slash = '\0';
	slash = strrchr(path, '/');
	if (!slash || slash < path + 15 || strcmp(slash, DEPLOY) != 0)
		return false;
	memcpy(slash, "/var", 5);
	return true;
}

static int find(struct ostree *o, struct nbd_diag *d)
{
	size_t skip = strlen(o->newroot);
	char link[INSIDE_PATH], path[PATH_MAX];
	ssize_t n;

	o->physical = open(o->newroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (o->physical < 0)
		return missing(o, d, o->newroot);
	o->deployment = inside_open(o->physical, o->word, true, true);
	if (o->deployment < 0)
		return missing(o, d, "no such deployment");
	n = readlink(inside_path(link, o->deployment), path, sizeof(path) - 1);
	if (n < 0)
		return missing(o, d, link);
	path[n] = '\0';
	if ((size_t)n <= skip || strncmp(path, o->newroot, skip) != 0)
		return nbd_diag(d, NBD_E_USAGE, "ostree=%s: leads to %s",
				o->word, path);
	memcpy(o->var, path + skip, (size_t)n - skip + 1);
	if (find_var(o->var))
		return NBD_OK;
	return nbd_diag(d, NBD_E_USAGE,
			"ostree=%s: leads to %s, which is no "
			"/ostree/deploy/NAME/deploy/COMMIT.NUMBER",
			o->word, path + skip);
}

/* Returns 1, 0 if there is no such file, or an error. */
static int read_config(struct ostree_config *c, int root, const char *path,
		       struct nbd_diag *d)
{
	int fd = inside_open_file(root, path), rc;
	char text[16384];
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return 0;
	n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	if (n < 0 || n == sizeof(text))
		return nbd_diag(d, NBD_E_USAGE, "/%s of the deployment: %s",
				path, n < 0 ? strerror(errno) : "too long");
	text[n] = '\0';
	rc = init_ostree_config(c, text, d);
	return rc ? nbd_diag_prefix(d, rc, "/%s", path) : 1;
}

/* The file in /etc stands in place of that in /usr. */
static int configure(struct ostree *o, const char *composefs,
		     struct nbd_diag *d)
{
	struct ostree_config *c = &o->config, repository = { 0 };
	int rc = read_config(c, o->deployment, "etc/" CONFIG, d);

	if (!rc)
		rc = read_config(c, o->deployment, "usr/lib/" CONFIG, d);
	if (rc < 0)
		return rc;
	if (composefs &&
	    !init_ostree_composefs(c, composefs, strlen(composefs)))
		return nbd_diag(d, NBD_E_USAGE,
				"ostree.prepare-root.composefs=%s: neither "
				"yes, no nor maybe",
				composefs);
	if (c->check)
		return nbd_diag(d, NBD_E_USAGE,
				"composefs is \"%s\" here, which init cannot "
				"check: ostree.prepare-root.composefs=yes or "
				"=no boots without the check",
				c->check);
	if (c->readonly != OSTREE_YES && c->composefs != OSTREE_YES) {
		rc = read_config(&repository, o->physical, "ostree/repo/config",
				 d);
		if (repository.readonly == OSTREE_YES)
			c->readonly = OSTREE_YES;
	}
	o->read_only =
		c->readonly == OSTREE_YES ||
		(c->readonly == OSTREE_UNSET && c->composefs == OSTREE_YES);
	return rc < 0 ? rc : NBD_OK;
}

int init_ostree_find(struct ostree *o, const char *newroot,
		     const struct cmdline *c, struct nbd_diag *d)
{
	static const char unit[] = "usr/lib/systemd/system-generators/"
				   "ostree-system-generator";
	int rc, fd;

	*o = (struct ostree){ .newroot = newroot, .word = c->ostree };
	rc = find(o, d);
	if (!rc)
		rc = configure(o, c->ostree_composefs, d);
	if (rc)
		return rc;
	fd = inside_open(o->deployment, unit, false, true);
	o->generator = fd >= 0;
	if (fd >= 0)
		close(fd);
	return NBD_OK;
}
