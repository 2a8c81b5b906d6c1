/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities, and a filter of system calls (seccomp(2)):
 *
 *	other ABI? --> refuse    call 1? call 2? ... --yes--> allow
 *	                                         '-----no---> refuse
 */
#include "boot/system/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/text.h"

/* The ABI of this program: numbers of others name other calls. */
#if defined(__x86_64__)
#define ABI AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ABI AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ABI AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define ABI AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define ABI AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define ABI AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ABI AUDIT_ARCH_PPC64LE
#else
#define ABI 0 /* no filter */
#endif

/*
 * What a C library uses for this, too: it calls what is newest, and what is
 * older where that returns ENOSYS.
 */
static const uint16_t allowed[] = {
	/* wait, and look at the clock */
	SYS_ppoll,
	SYS_restart_syscall,
	SYS_rt_sigreturn,
	SYS_rt_sigprocmask,
	SYS_getrandom,
	SYS_getpid,
	SYS_getppid,
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_ppoll_time64
	SYS_ppoll_time64,
#endif
#ifdef SYS_sigreturn
	SYS_sigreturn,
#endif
#ifdef SYS_clock_gettime
	SYS_clock_gettime,
#endif
#ifdef SYS_clock_gettime32
	SYS_clock_gettime32,
#endif
#ifdef SYS_clock_gettime64
	SYS_clock_gettime64,
#endif
	/* servers, name servers, netlink */
	SYS_socket,
	SYS_bind,
	SYS_connect,
	SYS_getsockname,
	SYS_getsockopt,
	SYS_setsockopt,
	SYS_sendto,
	SYS_sendmsg,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_shutdown,
	SYS_ioctl,
#ifdef SYS_send
	SYS_send,
#endif
#ifdef SYS_recv
	SYS_recv,
#endif
	/* /sys, /run, /etc/resolv.conf, the kernel's log */
	SYS_openat,
	SYS_read,
	SYS_readv,
	SYS_write,
	SYS_writev,
	SYS_lseek,
	SYS_close,
	SYS_flock,
	SYS_fcntl,
	SYS_faccessat,
	SYS_getdents64,
	SYS_mkdirat,
	SYS_unlinkat,
#ifdef SYS_renameat
	SYS_renameat,
#endif
	SYS_renameat2,
#ifdef SYS_open
	SYS_open,
#endif
#ifdef SYS__llseek
	SYS__llseek,
#endif
#ifdef SYS_fcntl64
	SYS_fcntl64,
#endif
#ifdef SYS_access
	SYS_access,
#endif
#ifdef SYS_mkdir
	SYS_mkdir,
#endif
#ifdef SYS_stat
	SYS_stat,
#endif
#ifdef SYS_stat64
	SYS_stat64,
#endif
#ifdef SYS_fstat
	SYS_fstat,
#endif
#ifdef SYS_fstat64
	SYS_fstat64,
#endif
#ifdef SYS_fstatat64
	SYS_fstatat64,
#endif
#ifdef SYS_newfstatat
	SYS_newfstatat,
#endif
#ifdef SYS_statx
	SYS_statx,
#endif
	/* a child that reads the device from each CPU (watch/ask.c) */
	SYS_clone,
	SYS_gettid,
	SYS_set_robust_list,
	SYS_sched_setaffinity,
	SYS_pread64,
	SYS_wait4,
#ifdef SYS_fork
	SYS_fork,
#endif
	/* the release; the memory, for swap */
	SYS_uname,
	SYS_sysinfo,
	/* memory */
	SYS_brk,
	SYS_munmap,
	SYS_madvise,
#ifdef SYS_mmap
	SYS_mmap,
#endif
#ifdef SYS_mmap2
	SYS_mmap2,
#endif
	/* the end; reboot() needs its capability, too */
	SYS_exit,
	SYS_exit_group,
	SYS_reboot,
};

#define CALLS  (sizeof(allowed) / sizeof(allowed[0]))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)

/* Jumps are that short. */
_Static_assert(CALLS < 255, "too many system calls");

static int filter_calls(void)
{
	struct sock_filter code[4 + CALLS + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ABI, 1, 0),
		REFUSE,
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
	};
	const struct sock_filter end[] = {
		REFUSE,
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	int rc;

	for (size_t i = 0; i < CALLS; i++)
		code[4 + i] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
			(uint8_t)(CALLS - i), 0);
	memcpy(code + 4 + CALLS, end, sizeof(end));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	rc = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			  SECCOMP_FILTER_FLAG_LOG, &program);
	/* before Linux 4.14 refused calls cannot be logged */
	return rc && errno == EINVAL
		       ? (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
				      &program)
		       : rc;
}

static int drop_capabilities(uint32_t keep)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct c[2] = { { 0 } };

	if (syscall(SYS_capget, &head, c))
		return -1;
	c[0].permitted &= keep;
	c[0].effective &= keep;
	c[0].inheritable = 0;
	c[1] = (struct __user_cap_data_struct){ 0 };
	return (int)syscall(SYS_capset, &head, c);
}

/* The kernel's log and the journal take the level from the text. */
static void debug(const char *what)
{
	char text[120];
	int n = nbd_fmt(text, sizeof(text), "<7>nbdboot: %s: %s\n", what,
			strerror(errno));

	if (n > 0 && !isatty(2))
		(void)!write(2, text, (size_t)n);
}

void boot_confine(uint32_t keep)
{
	if (drop_capabilities(keep))
		debug("capabilities cannot be dropped");
	if (ABI && filter_calls())
		debug("system calls are not filtered");
}
