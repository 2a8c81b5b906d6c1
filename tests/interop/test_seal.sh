#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Credentials that a TPM seals: they open on their machine, as it was, and
# nowhere else: test_seal.sh BUILD
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/tpm.sh
. "${0%/*}/../tpm.sh"
nbdboot=$O/nbdboot
cd "$work"
umask 077

# unseal TPM FILE
unseal()
{
	run "$nbdboot" unseal -T "$work/$1.tpm" nbdboot.tls-key "$2"
}

# opens FILE SENTENCE: on the first machine
opens()
{
	unseal one "$1"
	check "$2" cmp -s out key
}

# hides_the_key FILE
hides_the_key()
{
	[ -s "$1" ] && ! grep -qF -e "$(sed -n 2p key)" "$1"
}

# extend TPM PCR: with 32 bytes of 0 (TPM2_PCR_Extend)
extend()
{
	printf '\200\2\0\0\0\101\0\0\1\202\0\0\0%b\0\0\0\11\100\0\0\11\0\0\0\0\0\0\0\0\1\0\13%032d' \
		"\\0$(printf %o "$2")" 0 |
		socat -t 9 - "UNIX-CONNECT:$work/$1.tpm" >/dev/null
}

openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key 2>/dev/null
tpm_of_program one
one=$tpm
run "$nbdboot" seal -T one.tpm nbdboot.tls-key key
expect 0 'nbdboot sealed credential 1' 'a key is sealed'
cp out key.cred
check 'its text has nothing of the key' \
	hides_the_key key.cred
opens key.cred 'the machine that has sealed it opens it'
run "$nbdboot" seal -T one.tpm nbdboot.tls-key key
check 'no two texts are alike' \
	[ "$(grep ^data out)" != "$(grep ^data key.cred)" ]
for _ in 1 2 3 4 5; do
	unseal one key.cred
done
check 'five in a row leave nothing in the TPM' cmp -s out key
run "$nbdboot" seal -T one.tpm -p 8,16,23 nbdboot.tls-key key
expect 0 'pcr 16 ' 'other PCRs are chosen'
cp out other.cred

# ---- another machine ----

tpm_of_program two
unseal two key.cred
expect 1 'the TPM of another machine sealed it' 'another machine is refused by name'
check 'it prints nothing of the key' [ ! -s out ]
tpm_end

# ---- changes ----

extend one 8
opens key.cred 'a PCR that is not bound may change'
unseal one other.cred
expect 1 'since it was sealed, PCR 8 has changed' 'a PCR that changed is named'
extend one 7
unseal one key.cred
expect 1 'PCR 7 has changed (7: Secure Boot' 'what PCR 7 means is explained'
check 'nothing of the key is printed' [ ! -s out ]
tpm=$one
tpm_end
tpm_of_program one
opens key.cred 'it opens again when the machine was started anew'

# flip LINE COLUMN: another digit there
flip()
{
	awk -v line="$1" -v at="$2" 'NR == line {
		c = substr($0, at, 1)
		$0 = substr($0, 1, at - 1) (c == "0" ? "1" : "0") \
			substr($0, at + 1) } { print }' key.cred >bad.cred
	unseal one bad.cred
	if [ "$status" = 1 ] && [ ! -s out ]; then
		return
	fi
	not_ok "line $1 was changed, and $status came of it"
	show err
}
flipped=$failed
while read -r line at; do
	flip "$line" "$at"
done <<-'END'
	1 27
	2 6
	3 5
	3 30
	4 9
	4 30
	4 100
	5 12
	5 60
	5 300
	6 6
	6 2000
END
[ "$flipped" != "$failed" ] || ok 'a text in which a digit was changed never opens'
sed '/^pcr 16 /d' other.cred >bad.cred
unseal one bad.cred
expect 1 'the sealed text was changed' \
	'no PCR is blamed if another text demands fewer of them'
head -c 1000 key.cred >bad.cred
unseal one bad.cred
expect 1 'damaged, or of a newer version' 'one that was cut is named'
sed 's/credential 1/credential 2/' key.cred >bad.cred
unseal one bad.cred
expect 1 'damaged, or of a newer version' 'so is one of a version to come'
run "$nbdboot" unseal -T one.tpm nbdboot.tls-psk key.cred
expect 1 'nbdboot.tls-key was sealed, not nbdboot.tls-psk' \
	'a key is not taken for another credential'

# ---- what cannot be sealed ----

for list in '' '7,' ',7' 24 '7,x' -1 '7,,8'; do
	run "$nbdboot" seal -T one.tpm "-p$list" nbdboot.tls-key key
	[ "$status" = 2 ] || break
done
expect 2 'is no list of PCRs, such as 7,11' 'bad lists of PCRs are refused'
run "$nbdboot" seal -T one.tpm nbdboot.key key
expect 2 'nbdboot: seal: nbdboot.key is no credential of nbdboot' \
	'other names are refused'
echo hello >text
run "$nbdboot" seal -T one.tpm nbdboot.tls-key text
expect 1 'text: it is no PEM text' 'a file that is no key is refused'
chmod 644 key
run "$nbdboot" seal -T one.tpm nbdboot.tls-key key
expect 1 'key' 'so is a key that others can read'
chmod 600 key
{
	cat key
	head -c 20000 /dev/zero | tr '\0' x
} >long
run "$nbdboot" seal -T one.tpm nbdboot.tls-key long
expect 1 'it has more than 16368 bytes' 'so is one that is too long'

# ---- no TPM ----

run "$nbdboot" unseal -T none nbdboot.tls-key key.cred
expect 1 'this machine shows no TPM 2.0' 'a machine without a TPM is named'
run "$nbdboot" unseal -T key nbdboot.tls-key key.cred
expect 1 'key is no TPM' 'a file is no TPM'
socat UNIX-LISTEN:liar.tpm SYSTEM:'head -c 20 >&2; echo hello there' 2>/dev/null &
servers="$servers $!"
until [ "$(ss -xlH src liar.tpm)" ]; do
	kill -0 $! || die "no liar"
done
unseal liar key.cred
expect 1 'TPM, storage key' 'what a TPM never answers is refused'

finish
