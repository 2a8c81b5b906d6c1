/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of words: W(boot_kernel) W(root_forms) ..., made by build.mk. */
#include "boot/words/word.h"

#include <string.h>

#define W(part) extern const struct word part##_words[];
BOOT_WORDS
#undef W

#define W(part) part##_words,
static const struct word *const parts[] = { BOOT_WORDS NULL };

/* Those of a boot without any feature. */
const struct word boot_kernel_words[] = {
	WORD("root", root, WORD_TEXT, WORD_ROOT | WORD_FIRMWARE | WORD_USER),
	WORD("rootfstype", fstype, WORD_TEXT, WORD_ROOT),
	WORD("rootflags", flags, WORD_TEXT,
	     WORD_ROOT | WORD_MOUNT | WORD_OPTIONS),
	WORD("ro", write, WORD_NO, WORD_ROOT),
	WORD("rw", write, WORD_YES, WORD_ROOT),
	WORD("init", init, WORD_TEXT, WORD_ROOT),
	WORD("ip", ip, WORD_TEXT, WORD_NETWORK | WORD_FIRMWARE),
	WORD("panic", panic, WORD_NUMBER, 0),
	WORD_RANGE("nbdboot.connections", connections, WORD_OURS | WORD_ONCE, 1,
		   CONFIG_PORT_MAX_CONNECTIONS),
	WORD("nbdboot.debug", debug, WORD_YES, WORD_OURS),
	WORD("nbdboot.tls", tls, WORD_REQUIRE, WORD_OURS | WORD_FIRMWARE),
	WORD("nbdboot.shell", shell, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD("nbdboot.part", part, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD_END
};

bool boot_words_same(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

const struct word *boot_words_find(const char *name)
{
	for (size_t i = 0; parts[i]; i++)
		for (const struct word *w = parts[i]; w->name; w++)
			if (boot_words_same(name, w->name))
				return w;
	return NULL;
}

unsigned boot_words_scope(const char *word, size_t len)
{
	const struct word *w;
	char name[32];
	size_t n;

	/* the kernel ignores a quote before the name */
	if (len && *word == '"') {
		word++;
		len--;
	}
	n = strcspn(word, "=" NBD_BLANKS);
	nbd_fmt(name, sizeof(name), "%.*s", (int)(n < len ? n : len), word);
	w = boot_words_find(name);
	if (w)
		return w->scope;
	/* it may be one of another version or configuration */
	return strncmp(name, "nbdboot.", 8) ? 0 : WORD_OURS;
}
