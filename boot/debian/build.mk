# SPDX-License-Identifier: BSD-2-Clause
# What make install adds for other makers of an initramfs, for scripts that call
# nbd-client, and for shells; packages of it, and of the source.

# SOURCE:TARGET:MODE, below boot/ and PREFIX
tools := share/initramfs-tools
dracut := lib/dracut/modules.d/95nbdboot
hooks := initramfs-tools/hook:$(tools)/hooks/nbdboot:755 \
	initramfs-tools/conf:$(tools)/conf-hooks.d/nbdboot:644 \
	initramfs-tools/script:$(tools)/scripts/local-top/nbdboot:755 \
	initramfs-tools/script:$(tools)/scripts/local-block/nbdboot:755 \
	dracut/nbdboot.conf:lib/dracut/dracut.conf.d/50-nbdboot.conf:644 \
	$(foreach f,$(notdir $(wildcard boot/dracut/95nbdboot/*)),\
		dracut/95nbdboot/$f:$(dracut)/$f:755) \
	mkinitcpio/install:lib/initcpio/install/nbdboot:644 \
	mkinitcpio/hook:lib/initcpio/hooks/nbdboot:644
nbd@.service := boot/systemd/nbd-client/nbd@.service

# $(call place,FILE,TARGET,MODE): a copy that names the program where it is
place = mkdir -p '$(DESTDIR)$(PREFIX)/$(dir $2)' && \
	sed -e 's|/usr/sbin/nbdboot|$(PREFIX)/sbin/nbdboot|g' \
		-e 's|^\(ExecSt[a-z]*=\)nbd|\1$(PREFIX)/sbin/nbd|' '$1' \
		>'$(DESTDIR)$(PREFIX)/$2' && \
	chmod $3 '$(DESTDIR)$(PREFIX)/$2' &&
part = $(word $2,$(subst :, ,$1))

install: install-completion $(if $(CONFIG_BOOT_DIALECTS),install-hooks) \
	$(if $(CONFIG_BOOT_NBD_CLIENT),install-nbd-client)
install-hooks:
	$(Q)$(foreach h,$(hooks),$(call place,boot/$(call part,$h,1),$(call \
		part,$h,2),$(call part,$h,3))) :

# A distribution's own nbd-client stays.
client := $(DESTDIR)$(PREFIX)/sbin/nbd-client
install-nbd-client: $(O)/nbdboot
	$(Q)if [ -e '$(client)' ] && [ ! -L '$(client)' ]; then \
		echo 'there is another $(client): it stays'; \
	else \
		mkdir -p '$(DESTDIR)$(PREFIX)/sbin' && ln -sfn nbdboot '$(client)' && \
		$(call place,$(nbd@.service),$(patsubst boot/%,lib/%,$(subst \
			nbd-client,system,$(nbd@.service))),644) :; \
	fi

completions := bash:share/bash-completion/completions/nbdboot \
	zsh:share/zsh/site-functions/_nbdboot \
	fish:share/fish/vendor_completions.d/nbdboot.fish
$(O)/completion.%: $(O)/nbdboot boot/completion/make.sh
	$(Q)sh boot/completion/make.sh $< $* >$@
completion: $(O)/completion.bash $(O)/completion.zsh $(O)/completion.fish \
		## completion for bash, zsh and fish
install-completion: completion
	$(Q)$(foreach c,$(completions),install -D -m 644 \
		$(O)/completion.$(call part,$c,1) \
		'$(DESTDIR)$(PREFIX)/$(call part,$c,2)' &&) :

deb: $(O)/nbdboot ## Debian packages, in BUILD/deb
	$(Q)sh boot/debian/make.sh $(O) '$(VERSION)' '$(BUILT)'
dist: | $(O) ## the source of the latest commit and an SBOM, in BUILD/dist
	$(Q)sh boot/debian/dist.sh $(O) '$(VERSION)' '$(BUILT)' \
		'$(or $(MBEDTLS_DIR),build/mbedtls)'
.PHONY: install-hooks install-nbd-client install-completion completion deb dist
