# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: BSD-2-Clause
# The modules that mkinitramfs.sh, which sources this, puts into an initramfs.
#
# The word "all" stands for these modules, as far as the kernel has them.  A name
# with a slash is a directory of the kernel's tree, with all modules below it.
#
# Network interfaces, what they are connected with, and what runs on top.
nic_set='
	drivers/net/ethernet/ drivers/net/usb/ drivers/net/phy/
	drivers/net/mdio/ drivers/net/pcs/ drivers/net/dsa/ net/dsa/
	drivers/net/hyperv/ drivers/net/vmxnet3/ drivers/net/fjes/
	virtio_net xen_netfront thunderbolt_net ipv6 8021q bonding bridge'
# The buses behind which they are.
bus_set='
	virtio_pci virtio_mmio pci_hyperv hv_vmbus thunderbolt vmd
	drivers/usb/host/ drivers/pci/controller/'
# On boards (kernels for a CPU other than x86) also what drives a bus.
board_set='
	drivers/bus/ drivers/clk/ drivers/dma/ drivers/extcon/ drivers/firmware/
	drivers/gpio/ drivers/i2c/busses/ drivers/mailbox/ drivers/mfd/
	drivers/nvmem/ drivers/phy/ drivers/pinctrl/ drivers/power/
	drivers/regulator/ drivers/reset/ drivers/soc/ drivers/spi/
	drivers/usb/chipidea/ drivers/usb/dwc2/ drivers/usb/dwc3/
	drivers/usb/misc/ drivers/usb/musb/ drivers/usb/phy/'
# Keyboards: Ctrl-Alt-Del reboots a machine that waits.
key_set='
	usbhid hid_generic atkbd i8042 hyperv_keyboard xen_kbdfront'
fs_set='
	ext4 xfs btrfs f2fs squashfs erofs vfat overlay loop dm_mod
	dm_mirror dm_verity nls_ascii nls_cp437 nls_iso8859_1 nls_utf8'

# Hashes of a verified root, fast with the modules that suit the CPU.
hash_set='
	sha512_generic sha256_ssse3 sha512_ssse3 sha2_ce sha256_arm64 sha512_ce
	sha512_arm64'

# With an image of modules these stay outside of it: for the image, and for
# virtual machines, whose boot is not to wait for it.
near_set='
	loop squashfs nbd af_packet tcp_diag virtio_net virtio_pci ext4 overlay'

# The kernel encrypts nbds://, fast with the modules that suit its CPU.  A machine
# of QEMU may pass a key, and a TPM open one.
tls_set='
	tls gcm ctr ghash_generic aesni_intel ghash_clmulni_intel
	aes_ce_blk aes_neon_blk ghash_ce chacha20poly1305 chacha chacha_generic
	chacha_x86_64 chacha_neon poly1305_generic poly1305_x86_64
	poly1305_neon poly1305_arm qemu_fw_cfg tpm_crb tpm_tis'
