/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's clock, as the dates of certificates are compared with it. */
#include <time.h>

#include "port/uefi/uefi.h"

/* Days from 1970-01-01 to the first of March of this year. */
static int64_t days_to_march(int64_t year)
{
	return year * 365 + year / 4 - year / 100 + year / 400 - 719468;
}

/* Without a clock it is 1970, and every certificate is refused. */
time_t time(time_t *to)
{
	struct efi_time t = { 0 };
	int64_t now = 0, month, year;

	if (!efi.rt->get_time(&t, NULL)) {
		month = (t.month + 9) % 12; /* since March */
		year = t.year - (t.month < 3);
		now = days_to_march(year) + (153 * month + 2) / 5 + t.day - 1;
		now = ((now * 24 + t.hour) * 60 + t.minute) * 60 + t.second;
		if (t.zone >= -1440 && t.zone <= 1440)
			now += t.zone * 60;
	}
	if (to)
		*to = now;
	return now;
}

struct tm *gmtime(const time_t *at)
{
	static struct tm t;
	int64_t days = *at / 86400, year = days / 365 + 1971, month;

	while (days < days_to_march(year))
		year--;
	days -= days_to_march(year);
	month = (5 * days + 2) / 153;
	t.tm_mday = (int)(days - (153 * month + 2) / 5) + 1;
	t.tm_mon = (int)(month + 2) % 12;
	t.tm_year = (int)(year + (month > 9)) - 1900;
	t.tm_hour = (int)(*at / 3600 % 24);
	t.tm_min = (int)(*at / 60 % 60);
	t.tm_sec = (int)(*at % 60);
	return &t;
}
