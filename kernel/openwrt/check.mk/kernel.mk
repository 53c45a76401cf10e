# SPDX-License-Identifier: MIT OR GPL-2.0-only
# In place of OpenWrt's kernel.mk; LINUX_DIR is given by ../check.
KERNEL_MAKE = $(MAKE) -C $(LINUX_DIR) CROSS_COMPILE=mipsel-linux-gnu- CONFIG_DEBUG_INFO_BTF_MODULES=
AutoProbe = 0:$(1)
