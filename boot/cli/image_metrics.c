/* SPDX-License-Identifier: BSD-2-Clause */
/* The image of this boot, for nbdboot list --metrics. */
#include "boot/cli/metrics.h"

#include <fcntl.h>

#include "boot/images/trial.h"
#include "port/linux/file.h"

static void put_label(const char *text, const char *name)
{
	size_t len = 0;
	const char *p = images_now(text, name, NULL, &len);

	nbd_put_json(&cli_out, p ? p : "", len);
}

void cli_image_metrics(void)
{
	char text[IMAGES_NOW_MAX];
	const char *at = NULL;
	size_t len;
	unsigned left = 0;

	if (file_read(AT_FDCWD, "/run/" IMAGES_NOW, text, sizeof(text)) <= 0)
		return;
	while ((at = images_now(text, "left", at, &len)))
		left++;
	cli_putf("# HELP nbdboot_image_info The image of this boot.\n"
		 "# TYPE nbdboot_image_info gauge\n"
		 "nbdboot_image_info{image=");
	put_label(text, "image");
	cli_putf(",state=");
	put_label(text, "state");
	cli_putf("} 1\n"
		 "# HELP nbdboot_images_left Images that would come first.\n"
		 "# TYPE nbdboot_images_left gauge\n"
		 "nbdboot_images_left %u\n",
		 left);
}
