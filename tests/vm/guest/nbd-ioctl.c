/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs beside nbd-client do to its devices by ioctls:
 *
 *	nbd-ioctl size DEVICE BYTES       NBD_SET_SIZE
 *	nbd-ioctl clear DEVICE COUNT      NBD_CLEAR_SOCK, COUNT times
 */
#include <fcntl.h>
#include <linux/nbd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

int main(int argc, char *argv[])
{
	unsigned long n;
	int fd, rc = 0;

	if (argc != 4)
		return 2;
	fd = open(argv[2], O_RDWR);
	n = strtoul(argv[3], NULL, 10);
	if (fd < 0) {
		perror(argv[2]);
		return 1;
	}
	if (!strcmp(argv[1], "size"))
		rc = ioctl(fd, NBD_SET_SIZE, n);
	else
		while (n-- > 0 && !rc)
			rc = ioctl(fd, NBD_CLEAR_SOCK);
	if (rc)
		perror(argv[1]);
	return rc ? 1 : 0;
}
