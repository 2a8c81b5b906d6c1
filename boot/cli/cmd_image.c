/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot image: which image of several this machine runs, and is it good? */
#include "boot/cli/cli.h"
#include "boot/images/trial.h"
#include "boot/system/harden.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int read_now(char text[IMAGES_NOW_MAX], struct nbd_diag *d)
{
	return file_read(AT_FDCWD, "/run/" IMAGES_NOW, text, IMAGES_NOW_MAX) > 0
		       ? NBD_OK
		       : nbd_diag(d, NBD_E_NOT_FOUND,
				  "this boot had no images to choose from");
}

static int show(struct cli_call *call)
{
	char text[IMAGES_NOW_MAX];
	int rc = read_now(text, &call->d);
	size_t n;

	for (char *p = text; !rc && *p; p += n + (p[n] == '\n')) {
		n = strcspn(p, "\n");
		nbd_put_safe(&cli_out, p, n);
		nbd_put(&cli_out, "\n", 1);
	}
	return rc;
}

static int tell(struct cli_call *call)
{
	int err = images_say(call->words[0]);

	if (!err)
		return CLI_OK;
	if (err == EACCES || err == EPERM)
		return nbd_diag(&call->d, NBD_E_PERM, "/run/" IMAGES_SAY ": %s",
				strerror(err));
	return nbd_diag(&call->d, NBD_E_NOT_FOUND, "no image is on trial");
}

/* All images are new ones again. */
static int forget(struct cli_call *call)
{
	static struct images_keeper k;
	const struct images_tries none = { 0 };
	char text[IMAGES_NOW_MAX], kept[IMAGES_URI];
	int rc = read_now(text, &call->d);

	if (rc)
		return rc;
	images_now_copy(text, "kept", kept, sizeof(kept));
	if (!*kept)
		return nbd_diag(&call->d, NBD_E_NOT_FOUND,
				"this machine has no place to keep tries");
	rc = images_keeper_open(&k, strcmp(kept, "efi") ? kept : NULL,
				IMAGES_EFI_DIR, &call->d);
	if (!rc)
		rc = images_keeper_write(&k, &none, &call->d);
	images_keeper_close(&k);
	return rc;
}

/* init starts it */
static int trial(struct cli_call *call)
{
	boot_small_pages();
	return images_trial(&call->d);
}

static int run(struct cli_call *call)
{
	static const struct {
		const char *name;
		int (*run)(struct cli_call *call);
	} verbs[] = { { "good", tell },
		      { "bad", tell },
		      { "forget", forget },
		      { "trial", trial } };

	if (!call->words[0])
		return show(call);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(call->words[0], verbs[i].name))
			return verbs[i].run(call);
	return cli_usage("image", "%s is not good, bad or forget",
			 call->words[0]);
}

const struct command cmd_image = {
	.name = "image",
	.group = CLI_IMAGE,
	.summary = "which image this machine boots, and whether it is good",
	.help = "good    keep it, without waiting for the unit\n"
		"bad     leave it at the next boot\n"
		"forget  all images are new: none was good, or tried\n",
	.operands = { 0, 1, { "VERB" } },
	.run = run,
};
