# SPDX-License-Identifier: MIT OR GPL-2.0-only
# In place of OpenWrt's package.mk: a package is built and installed into $(WORK)/NAME. That a
# field is missing is an error.
PKG_BUILD_DIR = $(WORK)/build/$(PKG_NAME)-$(PKG_VERSION)

.PHONY: packages built
built:
	$(Build/Prepare)
	$(Build/Configure)
	$(Build/Compile)

# no field of the package before
define fresh
$(foreach field,TITLE FILES DEPENDS AUTOLOAD SECTION CATEGORY,$(eval $(field) :=))
endef

# $(call named,PACKAGE,FIELDS)
define named
$(foreach field,$(2),$(if $(value $(field)),,$(error $(1) has no $(field))))
endef

define KernelPackage
$(fresh)$(eval $(KernelPackage/$(1)))$(call named,kmod-$(1),TITLE FILES DEPENDS AUTOLOAD KernelPackage/$(1)/description)
packages: kmod-$(1)
.PHONY: kmod-$(1)
kmod-$(1): built
	install -D -m0644 -t $(WORK)/kmod-$(1)/lib/modules $(FILES)
endef

define BuildPackage
$(fresh)$(eval $(Package/$(1)))$(call named,$(1),TITLE DEPENDS SECTION CATEGORY Package/$(1)/description Package/$(1)/install)
packages: $(1)
.PHONY: $(1)
$(1): built
	$(call Package/$(1)/install,$(WORK)/$(1))
endef
