# SPDX-License-Identifier: BSD-2-Clause
# TLS by mbedTLS 3.6, the long-term branch, compiled from Debian's source
# package with a configuration of our own (config.h).
#
#   make MBEDTLS_DIR=dir      another source
#   make MBEDTLS_DIR=system   -lmbedtls, if the system has 3.6
mbedtls-src := $(filter-out system,$(or $(MBEDTLS_DIR),build/mbedtls))
# Programs that are not static are those of tests, which have servers, too.
mbedtls-serves := $(if $(STATIC)$(CONFIG_PORT_UEFI),,y)

ifeq ($(CONFIG_PORT_MBEDTLS),y)
port-y += port/tls_other.o $(addprefix port/mbedtls/, tls.o verify.o load.o creds.o pool.o \
	fault.o suite.o cpu.o records.o aesgcm.o)
port-$(CONFIG_PORT_TLS_RESUME) += port/mbedtls/resume.o
port-$(CONFIG_PORT_TLS13) += port/mbedtls/tls13.o
port-$(or $(CONFIG_BOOT_LIARS),$(CONFIG_BOOT_COPY_TREE)) += port/mbedtls/digest.o
port-$(or $(CONFIG_BOOT_LIARS),$(CONFIG_BOOT_COPY_HASH),$(CONFIG_BOOT_SEAL)) += \
	port/mbedtls/digest_stream.o
port-$(CONFIG_BOOT_SEAL) += port/mbedtls/secret.o
port-y += $(if $(CONFIG_PORT_UEFI),$(addprefix port/uefi/, credentials.o \
	date.o),port/posix/credentials.o)
ifneq ($(mbedtls-src),)
# not in build/mbedtls, which several builds may share
mbedtls-out := $(O)/libmbedtls
mbedtls-obj := $(patsubst %,$(mbedtls-out)/%.o,aes aesni asn1parse asn1write \
	base64 bignum bignum_core chacha20 chachapoly cipher cipher_wrap \
	constant_time ecdh ecdsa ecp ecp_curves gcm md oid pem pk pk_ecc \
	pk_wrap pkparse platform platform_util poly1305 rsa rsa_alt_helpers \
	sha1 sha256 sha512 ssl_ciphersuites ssl_client ssl_msg ssl_tls \
	ssl_tls12_client x509 x509_crt \
	$(if $(CONFIG_PORT_TLS13),ssl_tls13_client ssl_tls13_generic \
	ssl_tls13_keys psa_crypto psa_crypto_client psa_crypto_ecp \
	psa_crypto_hash psa_crypto_mac psa_crypto_rsa \
	psa_crypto_driver_wrappers_no_static \
	psa_crypto_slot_management psa_util) \
	$(if $(mbedtls-serves),pkwrite ssl_tls12_server x509_create x509write \
	x509write_crt ssl_cache ssl_ticket $(if $(CONFIG_PORT_TLS13),ssl_tls13_server)))
mbedtls-config := $(if $(mbedtls-serves),tests/port/mbedtls.h,$\
	port/mbedtls/config.h)
mbedtls-cpp := -isystem $(mbedtls-src)/include \
	-DMBEDTLS_CONFIG_FILE='"$(mbedtls-config)"' $(mbedtls-with) \
	$(if $(CONFIG_PORT_TLS13),-DCONFIG_PORT_TLS13=1) \
	$(if $(CONFIG_PORT_TLS_RESUME),-DCONFIG_PORT_TLS_RESUME=1)
mbedtls-ready := $(mbedtls-src)/include/mbedtls/build_info.h
mbedtls-lib := $(O)/libmbedtls.a
LDLIBS += $(mbedtls-lib)
# That library calls sha1.c, whose archive comes before it: ask for it by -u.
port-y += port/mbedtls/sha1.o
ldflags += -Wl,-u,mbedtls_internal_sha1_process
else
# Only these of the system's headers: a cross compiler has others.
mbedtls-ready := $(O)/mbedtls/include
mbedtls-cpp := -isystem $(mbedtls-ready)
LDLIBS += -lmbedtls -lmbedx509 -lmbedcrypto
endif
mbedtls-users := $(addprefix $(O)/port/mbedtls/, tls.o verify.o load.o \
	fault.o sha1.o tls13.o resume.o digest.o digest_stream.o secret.o)
# The bulk of a connection passes through it: for speed, and in firmware with
# the registers of its instructions.  LTO would take pieces out of its loop there,
# as calls, for size.
$(O)/port/mbedtls/aesgcm.o: CFLAGS := \
	$(filter-out $(mbedtls-without),$(CFLAGS)) -O2 -fno-lto
$(mbedtls-users): cpp += $(mbedtls-cpp)
# Debian's version: its end counts the security updates.
$(O)/port/mbedtls/load.o: cpp += -DTLS_PACKAGE='"$(shell sed -n \
	'1s/.*(\(.*\)).*/ (Debian \1)/p' $(mbedtls-src)/debian/changelog \
	2>/dev/null)"'
# A newer source is compiled again, with what shows its version.
$(mbedtls-users): $(if $(mbedtls-src),,|) $(mbedtls-ready)
endif

$(O)/mbedtls/include:
	$(Q)mkdir -p $@
	$(Q)ln -sfn /usr/include/mbedtls /usr/include/psa $@
build/mbedtls/include/mbedtls/build_info.h:
	$(Q)sh port/fetch.sh mbedtls build/mbedtls trixie 3.6
$(mbedtls-obj): $(mbedtls-out)/%.o: port/mbedtls/config.h $(mbedtls-config) \
		$(mbedtls-ready) $(O)/autoconf.h | $(musl-ready)
	$(call say,CC,$@)
	$(in-dir)
	$(Q)$(CC) $(base) -std=gnu11 -w -I. \
		$(mbedtls-cpp) $(filter-out $(mbedtls-without),$(CFLAGS)) \
		-c -o $@ $(mbedtls-src)/library/$*.c
# A handshake is a handful of multiplications on a curve: P-256 takes 40 %
# longer without this, P-384 60 %.
$(addprefix $(mbedtls-out)/,bignum.o bignum_core.o ecp_curves.o): CFLAGS += -O2
# CPUs without AES pass the bulk of a connection through these: twice as fast.
$(addprefix $(mbedtls-out)/,chacha20.o poly1305.o): CFLAGS += -O2
# This must take the same time for every secret, so the compiler must not merge
# it with its callers.
$(mbedtls-out)/constant_time.o: CFLAGS += -fno-lto
$(O)/libmbedtls.a: $(mbedtls-obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
