/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of devices, one after the other. */
#include "boot/cli/loads.h"

static struct cli_load *find(struct cli_loads *loads, int index)
{
	for (unsigned i = 0; i < loads->n; i++)
		if (loads->load[i].index == index)
			return &loads->load[i];
	if (loads->n == CLI_LOADS)
		return NULL;
	loads->load[loads->n] = (struct cli_load){ .index = index };
	return &loads->load[loads->n++];
}

static int sample(struct cli_loads *loads, int index, cli_load_show *show,
		  void *ctx, struct nbd_diag *d)
{
	int err = device_read(&loads->dev, index, d);
	struct device_sample now;
	struct device_latency l;
	struct cli_load *load;

	if (err == NBD_E_NO_DEVICE)
		return nbd_diag(d, err, "nbd%d is not connected", index);
	load = find(loads, index);
	loads->left_out += !load;
	if (!load)
		return 0;
	device_sample(&now, &loads->dev);
	if (load->last.ns) {
		device_latency(&l, &load->last, &now);
		show(ctx, &loads->dev, &l);
	}
	load->last = now;
	return 0;
}

int cli_loads(struct cli_loads *loads, char *names[], cli_load_show *show,
	      void *ctx, struct nbd_diag *d)
{
	struct nbdk_iter it = { 0 };
	int index, err = 0;

	loads->left_out = 0;
	if (!names[0])
		while ((index = nbdk_next(&it)) >= 0)
			(void)sample(loads, index, show, ctx, d);
	for (; *names && !err; names++)
		err = sample(loads, nbdk_parse_name(*names), show, ctx, d);
	return err;
}

int cli_left_out(unsigned n, struct nbd_diag *d)
{
	return n ? nbd_diag(d, NBD_E_NO_MEMORY,
			    "%u devices are left out: name those that you want",
			    n)
		 : 0;
}

void cli_put_ms(uint32_t us, int width)
{
	char text[16];
	int n = nbd_fmt(text, sizeof(text), "%u.%02u", us / 1000,
			us % 1000 / 10);

	while (width-- > n)
		nbd_put(&cli_out, " ", 1);
	cli_putf("%s", text);
}
