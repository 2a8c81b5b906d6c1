/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/say.h"

#include "port/text.h"

#include <stdarg.h>

void __wrap_boot_say(const char *fmt, ...);
void __wrap_boot_say(const char *fmt, ...)
{
	char text[1024];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	text[o.len] = '\0';
	world_note(world.said, sizeof(world.said), "%s\n", text);
	world.says++;
	if (world.say)
		world.say(text);
}
