#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make deb, make install and make dist: the same files, clean for lintian, the
# same bytes each time, and nothing is left when the packages are gone.
# Booting from them is the business of the tests in vm/.  RELEASE=trixie installs
# them in a Debian 13.
O=${1:-build}
. "${0%/*}/../tap.sh"
top=${0%/*}/../..
PATH=$PATH:/sbin:/usr/sbin

# again TARGET DIR ENDING: makes it twice, and compares
again()
{
	make -s -C "$top" O="$O" "$1" >"$work/log" 2>&1 || show "$work/log"
	(cd "$O/$2" && sha256sum ./*"$3") >"$work/first"
	make -s -C "$top" O="$O" "$1" >"$work/log" 2>&1 || show "$work/log"
	(cd "$O/$2" && sha256sum ./*"$3") >"$work/second"
	if [ -s "$work/first" ] && cmp -s "$work/first" "$work/second"; then
		ok "make $1 gives the same bytes again"
	else
		not_ok "make $1 gives the same bytes again"
		diff "$work/first" "$work/second" | sed 's/^/# /'
	fi
}

again deb deb .deb
lintian "$O"/deb/*.changes >"$work/lint" 2>/dev/null || :
if grep -q '^[EW]:' "$work/lint"; then
	not_ok 'lintian finds no error and no warning'
	show "$work/lint"
else
	ok 'lintian finds no error and no warning'
fi

# ---- a tree whose path has a blank ----

tree="$work/a tree"
mkdir -p "$tree/build" "$tree/debian/tmp/usr/sbin" \
	"$tree/debian/tmp/usr/share/zsh/site-functions" "$work/stub"
ln -s "$(cd "$top" && pwd)/LICENSE" "$(cd "$top" && pwd)/boot" "$tree/"
cp "$top/boot/debian/control" "$top"/boot/debian/nbdboot* "$tree/debian/"
: >"$tree/debian/tmp/usr/sbin/nbdboot"
: >"$tree/debian/tmp/usr/share/zsh/site-functions/_nbdboot"
run make -C "$tree" -f boot/debian/rules MAKE=: NBDBOOT=. \
	override_dh_auto_install
check 'its files find their places' \
	[ "$status$(cd "$tree/debian/tmp/usr" && find . -name _nbdboot)" = \
	0./share/zsh/vendor-completions/_nbdboot ]
# as dh_install would call it missing
check 'a program without units, hooks and nbd-client needs none of them' \
	[ "$(cat "$tree"/debian/*.install | tr '\n' ' ')" = \
	'usr/sbin/nbd[a-z]* usr/share/zsh/vendor-completions ' ]
check 'and is in one package' \
	[ "$(sed -n 's/^Package: //p' "$tree/debian/control")" = nbdboot ]
cat >"$work/stub/dpkg-buildpackage" <<'END'
#!/bin/sh
echo "$NBDBOOT_O"
sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog
: >../none.deb
END
chmod 755 "$work/stub/dpkg-buildpackage"
# pack VERSION SECONDS: makes no package, but the list of changes
pack()
{
	run env -C "$tree" PATH="$work/stub:$PATH" \
		sh boot/debian/make.sh "$tree/build" "$1" "$2"
}
pack v1.0 0
check 'make gets the build directory without that path' \
	[ "$(sed -n 1p "$tree/build/deb/log")" = build ]

# ---- versions grow ----

last='' wrong=''
for version in 9c0ffee:1000000000 1bad5eed-dirty:1000000007 2f00d:1000086400 \
	v0.9:0 v1.0-beta1:0 v1.0-rc1:0 v1.0-rc1-2-gabc:0 v1.0-rc2:0 v1.0:0 \
	v1.0-3-g999:0 v1.0-20-gabc:0 v1.0.1-rc1:0; do
	pack "${version%:*}" "${version#*:}"
	next=$(sed -n 2p "$tree/build/deb/log")
	[ ! "$last" ] || dpkg --compare-versions "$last" lt "$next" ||
		wrong="$wrong $last<$next"
	last=$next
done
check "a later commit or tag has a later version:${wrong:- all}" [ ! "$wrong" ]

# ---- the same files as make install ----

make -s -C "$top" O="$O" install DESTDIR="$work/a dest" PREFIX=/usr \
	>"$work/log" 2>&1 || show "$work/log"
# Debian has its own directories, compresses pages, and has no mkinitcpio.
units=/usr/lib
! grep -qx 'VERSION_ID="12"' /etc/os-release || units=/lib
(cd "$work/a dest" && find . ! -type d) | sed -e '/\/initcpio\//d' \
	-e "s|/usr/lib/systemd/|$units/systemd/|" \
	-e 's|/zsh/site-functions/|/zsh/vendor-completions/|' \
	-e 's|\(/man/.*\)|\1.gz|' | sort >"$work/want"
for deb in "$O"/deb/*.deb; do
	dpkg-deb -c "$deb"
done | awk '!/\/$/ { print $6 }' >"$work/all"
# pages with two names are links here
dpkg-deb -c "$O"/deb/nbdboot_*.deb | sed -n 's/.* \(.*\) -> nbdboot-trace.*/\1/p' \
	>"$work/links"
sed -e '/\/doc\//d' -e '/\/lintian\//d' -e '/man8\/nbd-client\.8/d' "$work/all" |
	sort -u | comm -23 - "$work/links" >"$work/got"
if cmp -s "$work/want" "$work/got"; then
	ok 'the packages have the files of make install'
else
	not_ok 'the packages have the files of make install'
	diff "$work/want" "$work/got" | sed 's/^/# /'
fi

# without SYMBOL FILE: make install leaves out FILE, which calls what is missing
without()
{
	run make -n -C "$top" O="$O" install "CONFIG_BOOT_$1="
	if [ "$status" = 0 ] && ! grep -qF "$2" "$work/out"; then
		ok "without BOOT_$1 there is no $2"
	else
		not_ok "without BOOT_$1 there is no $2"
		show "$work/err"
	fi
}

without LIST 60-nbdboot.rules
without DIALECTS initramfs-tools/scripts
without SCRIPTS nbdboot@.service
without WATCH nbdboot-watch@.service

for prefix in '/opt/a b' '/usr ' '/opt/a,b' '/opt/a|b' '/a&b' '/a%b' "/a'b" usr; do
	run make -s -C "$top" O="$O" install DESTDIR="$work/odd" PREFIX="$prefix"
	expect 2 "PREFIX=$prefix: " "make install refuses PREFIX='$prefix'"
done
check 'and places nothing' [ ! -e "$work/odd" ]

# ---- another world ----

# what a person does in the menu
cat >"$work/stub/menu" <<'END'
#!/bin/sh
sed -i "$MENU" "$KCONFIG_CONFIG"
${KCONF:-kconfig-conf} --olddefconfig "$1" >/dev/null
END
chmod 755 "$work/stub/menu"
# menu SED: prints the values that differ from the defaults
menu()
{
	run env MENU="$1" make -s -C "$top" O="$work/menu" \
		MCONF="$work/stub/menu" menuconfig
	run make -s -C "$top" O="$work/menu" savedefconfig
	tr '\n' ' ' <"$work/menu/defconfig"
}
menu 's/^\(CONFIG_CORE_TEXT_MAX\)=.*/\1=128/' >/dev/null
got=$(menu 's/^CONFIG_WORLD_LINUX=y/CONFIG_WORLD_METAL=y/')
check "another world has its own defaults, and what was chosen: $got" \
	[ "$got" = 'CONFIG_WORLD_METAL=y CONFIG_CORE_TEXT_MAX=128 ' ]
got=$(menu 's/^CONFIG_METAL_LM3S6965=y/CONFIG_METAL_VIRT=y/')
check "and so has another board: $got" [ "$got" = \
	'CONFIG_WORLD_METAL=y CONFIG_CORE_TEXT_MAX=128 CONFIG_METAL_VIRT=y ' ]

# ---- installed, and removed ----

if [ "$(id -u)" != 0 ]; then
	ok 'installed and removed # SKIP only root can have a Debian'
	finish
	exit
fi
debian=$(sh "$top/tests/debian.sh" "$O/debian${RELEASE:+-$RELEASE}" \
	"${RELEASE-}") || exit 1
root=$work/root
cp -a "$debian" "$root"
cp "$O"/deb/*.deb "$root/tmp/"

# inside COMMAND...: in the root
inside()
{
	run chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"
}

# All files, except for those in which dpkg keeps its own records.
listing()
{
	(cd "$root" && find . ! -path './var/lib/dpkg/*' \
		! -path './var/log/*' ! -path './proc/*' -printf '%p %m %l\n' |
		sort) >"$work/$1"
}

# deb-systemd-helper removes such a directory, whoever made it
find "$root/etc/systemd/system" -depth -type d -empty -delete
listing before
# the makers of an initramfs are not there: vm/test_dropin.sh has them
inside sh -c 'dpkg -i --force-depends /tmp/*.deb'
expect 0 '' 'all packages can be installed'
inside nbd-client -V
expect 0 'This is nbd-client, from nbdboot' 'nbd-client is nbdboot there'
inside sh -c 'grep ^ExecStart /lib/systemd/system/nbd@.service'
expect 0 'ExecStart=/usr/sbin/nbd-client %i' 'its unit starts it'
inside bash -c '. /usr/share/bash-completion/completions/nbdboot &&
	complete -p nbdboot'
expect 0 '_nbdboot nbdboot' 'the completion can be loaded'
inside dpkg --purge nbdboot-dracut nbdboot-initramfs nbdboot-nbd-client nbdboot
expect 0 '' 'all packages can be removed'
listing after
if cmp -s "$work/before" "$work/after"; then
	ok 'and nothing is left'
else
	not_ok 'and nothing is left'
	diff "$work/before" "$work/after" | sed 's/^/# /'
fi

# ---- the source ----

again dist dist .tar.gz
tar=$(echo "$O"/dist/*.tar.gz)
tar xzf "$tar" -C "$work"
sbom=$(echo "$work"/nbdboot-*/sbom.spdx)
if grep -q '^PackageName: mbedtls$' "$sbom" &&
	grep -q 'SPDXRef-nbdboot STATIC_LINK SPDXRef-mbedtls' "$sbom"; then
	ok 'its SBOM has mbedTLS'
else
	not_ok 'its SBOM has mbedTLS'
	show "$sbom"
fi
(cd "$top" && git ls-tree -r --name-only HEAD) | sort >"$work/want"
(cd "${sbom%/*}" && find . ! -type d ! -name sbom.spdx) | sed 's|^\./||' |
	sort >"$work/got"
if cmp -s "$work/want" "$work/got"; then
	ok 'and it has the files of the commit'
else
	not_ok 'and it has the files of the commit'
	diff "$work/want" "$work/got" | sed 's/^/# /'
fi

finish
