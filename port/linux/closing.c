/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line of /proc/net/tcp or tcp6 (Linux:
 * Documentation/networking/proc_net_tcp):
 *
 *	   0: 0100007F:2A39 0100007F:9C40 04 ...
 *	number  local         remote     state, in hexadecimal
 */
#include "port/linux/closing.h"
#include "port/linux/file.h"

#include <poll.h>
#include <stddef.h>
#include <string.h>

#define LOOK_MS 20

/*
 * Of the kernel's include/net/tcp_states.h: its own end was sent, and is not
 * acknowledged: FIN_WAIT1, LAST_ACK, CLOSING.
 */
static const char *const on_their_way[] = { "04", "09", "0B" };

static bool is_on_its_way(const char *line)
{
	for (unsigned n = 3; n; n--) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	for (size_t i = 0; i < sizeof(on_their_way) / sizeof(*on_their_way);
	     i++)
		if (!strncmp(line, on_their_way[i], 2))
			return true;
	return false;
}

static bool has_one(const char *path)
{
	struct file_lines f;
	const char *line;
	bool found = false;

	if (file_lines_open(&f, path))
		return false;
	while (!found && (line = file_lines_next(&f)))
		found = is_on_its_way(line);
	file_lines_close(&f);
	return found;
}

bool closing_await(unsigned ms)
{
	/* a count, so that the look after a pause of the machine is not lost */
	for (unsigned left = ms / LOOK_MS;; left--) {
		if (!has_one("/proc/net/tcp") && !has_one("/proc/net/tcp6"))
			return true;
		if (!left)
			return false;
		poll(NULL, 0, LOOK_MS);
	}
}
