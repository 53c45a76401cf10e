# SPDX-License-Identifier: MIT OR GPL-2.0-only
# In place of OpenWrt's rules.mk, as far as airtab/Makefile asks: ../check.
.DEFAULT_GOAL := packages
INSTALL_DIR := install -d -m0755
INSTALL_BIN := install -m0755
INSTALL_DATA := install -m0644
INSTALL_CONF := install -m0600
CP := cp -fpR
TARGET_CC := mipsel-linux-gnu-gcc
TARGET_NM := mipsel-linux-gnu-nm
