/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What programs and libraries open by themselves, which no ELF file names: the
 * modules of PAM, the user databases, the helpers that a login starts.
 *
 *	sshd --ELF--> libpam.so.0 --companions--> /etc/pam.d, security/pam_*.so
 *	                      pam_systemd.so --companions--> systemd --user
 */
#include "boot/keep/keep.h"

#include <string.h>
#include <sys/utsname.h>

/*
 * Each is for all releases of a distribution: what is not there is left out
 * without a word.  "@" stands for the release of the kernel, and "." for the
 * directory of the library.
 */
static const struct {
	const char *name, *list;
} companions[] = {
	{ "libc.so.6",
	  "/etc/nsswitch.conf,/etc/passwd,/etc/group,/etc/shadow,/etc/hosts,"
	  "/etc/host.conf,/etc/resolv.conf,/etc/gai.conf,/etc/services,"
	  "/etc/localtime,/usr/lib/locale/C.utf8,/usr/lib/locale/locale-archive,"
	  "/usr/share/locale/locale.alias,./gconv/gconv-modules.cache,"
	  "libnss_files.so.2,libnss_compat.so.2,libnss_dns.so.2,"
	  "libnss_systemd.so.2,libnss_resolve.so.2,libnss_myhostname.so.2,"
	  "libnss_mymachines.so.2,libnss_sss.so.2,/var/run/nscd/socket,"
	  "modprobe" },
	/* which the kernel starts for a protocol that it lacks */
	{ "modprobe",
	  "/etc/modprobe.d,/usr/lib/modprobe.d,/usr/local/lib/modprobe.d,"
	  "/lib/modules/@/modules.dep.bin,/lib/modules/@/modules.alias.bin,"
	  "/lib/modules/@/modules.symbols.bin,/lib/modules/@/modules.softdep,"
	  "/lib/modules/@/modules.weakdep,/lib/modules/@/modules.builtin.bin,"
	  "/lib/modules/@/modules.builtin.alias.bin" },
	{ "libselinux.so.1", "/etc/selinux/config" },
	{ "libgssapi_krb5.so.2", "/etc/gss/mech.d,/etc/krb5.conf" },
	{ "libwrap.so.0", "/etc/hosts.allow,/etc/hosts.deny" },
	{ "libcrypto.so.3", "/etc/ssl/openssl.cnf,/usr/lib/ssl/openssl.cnf" },
	{ "libpam.so.0",
	  "./security,/etc/pam.d,/usr/lib/pam.d,/etc/security,"
	  "/etc/environment,/etc/default/locale,/etc/login.defs" },
	{ "pam_unix.so", "unix_chkpwd" },
	{ "pam_mail.so", "/var/mail/root" },
	{ "pam_motd.so", "/etc/motd,/etc/motd.d,/usr/lib/motd.d,env,run-parts,"
			 "sh,uname,/etc/update-motd.d" },
	/*
	 * It asks logind by the bus, which starts a manager for the user, and the
	 * login waits for that.  Pages of programs that run are dropped as others.
	 */
	{ "pam_systemd.so",
	  "dbus-daemon,dbus-broker,/usr/share/dbus-1,/etc/dbus-1,"
	  "/usr/lib/systemd/systemd-logind,/usr/lib/systemd/systemd-journald,"
	  "/etc/systemd/logind.conf,/usr/lib/systemd/systemd,"
	  "/usr/lib/systemd/systemd-executor,"
	  "/usr/lib/systemd/systemd-user-runtime-dir,systemctl,"
	  "/etc/systemd/system,/usr/local/lib/systemd/system,"
	  "/usr/lib/systemd/system/user-runtime-dir@.service,"
	  "/usr/lib/systemd/system/user@.service,"
	  "/usr/lib/systemd/system/user@.service.d,"
	  "/usr/lib/systemd/system/user@0.service.d,"
	  "/usr/lib/systemd/system/user-.slice.d,"
	  "/usr/lib/systemd/user,/etc/systemd/user,/etc/systemd/user.conf,"
	  "/usr/lib/systemd/user.conf.d,/etc/systemd/user.conf.d,"
	  "/usr/lib/systemd/user-generators,/etc/xdg/systemd,"
	  "/usr/lib/systemd/user-environment-generators,"
	  "/usr/lib/environment.d,/etc/environment.d,/etc/os-release,"
	  "/etc/machine-id,/var/lib/systemd/linger/root,"
	  "/usr/local/share/systemd/user,/usr/share/systemd/user" },
	/* an overlay copies the tables of logins before it writes there */
	{ "sshd", "/etc/ssh,/usr/lib/openssh,/usr/libexec/openssh,"
		  "/root/.ssh,/var/log/wtmp,/var/log/lastlog,/var/log/btmp" },
	{ "login",
	  "/var/log/wtmp,/var/log/lastlog,/var/log/btmp,/etc/securetty,"
	  "/etc/issue,/etc/nologin" },
	{ "agetty", "/etc/issue,/etc/issue.d,/etc/os-release,login" },
	{ "bash", "/etc/profile,/etc/profile.d,/etc/bash.bashrc,/etc/bashrc,"
		  "/etc/inputrc,/etc/terminfo,/usr/lib/terminfo,"
		  "/root/.bashrc,/root/.profile,/root/.bash_profile,"
		  "/root/.bash_history,id,mesg" },
};

/* Adds a name of the table, which belongs to the file with that path. */
static void add(struct keep *k, const char *path, const char *name, size_t n)
{
	const char *at = memchr(name, '@', n), *slash = strrchr(path, '/');
	char full[KEEP_NAME];
	struct utsname u;
	int len;

	if (*name == '.')
		len = nbd_fmt(full, sizeof(full), "%.*s%.*s",
			      (int)(slash ? slash - path : 0), path,
			      (int)(n - 1), name + 1);
	/* not that of "user@.service" */
	else if (at && at > name && at[-1] == '/' && !uname(&u))
		len = nbd_fmt(full, sizeof(full), "%.*s%s%.*s",
			      (int)(at - name), name, u.release,
			      (int)(n - (size_t)(at - name) - 1), at + 1);
	else
		len = nbd_fmt(full, sizeof(full), "%.*s", (int)n, name);
	if (len > 0)
		keep_add(k, KEEP_COMPANION, full);
}

static void add_all(struct keep *k, const char *path, const char *list)
{
	size_t n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		add(k, path, list, n);
	}
}

void keep_companions(struct keep *k, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(companions) / sizeof(companions[0]); i++)
		if (!strcmp(companions[i].name, name))
			add_all(k, path, companions[i].list);
}
