# SPDX-License-Identifier: MIT OR GPL-2.0-only
# The commands of this repository. `make` lists them.

AIRTAB := target/release/airtab
# There once the whole program was built, and not only what the demo needs of it.
WHOLE  := target/release/airtab.whole
CARGO  := cargo
# What tests write under sudo is root's: who called sudo could not read it.
unexport SUDO_UID PKEXEC_UID DOAS_USER

# What CI runs: one experiment of each sort, some two minutes on two cores.
EXPERIMENTS := chap/worked-example chap/credit-range chap/model-waits chap/constants chap/multi-none chap/link \
	chap/modelval-server chap/starve chap/p2p-voip chap/dapp-video chap/fair
LIVE_EXPERIMENTS := $(addprefix live/,lnx-clean lnx-fer lnx-cpu case-web case-quake sim-vs-live lx-dt31 lx-vfq31)

.PHONY: help build contest demo live live-experiments experiments test test-all test-python nightly bench bench-users test-web web lint check-targets check-project licences advisories notices mutants mutants-rust mutants-change soak fuzz kernel install-kernel kernel-test kernel-debug-test kernel-cross deb-dkms deb-dkms-test dist test-dist test-packages figures book docs clean

help: ## this list
	@echo "airtab: queue disciplines that keep Wi-Fi responsive"
	@echo
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 26

demo: ## a family's home: video streams, a game, a call, pages, downloads and a backup under five disciplines
	@# The first time without live houses, measures of real networks and the page, which would take half as long again.
	@if [ -e $(WHOLE) ]; then $(MAKE) --no-print-directory build; \
	else tools/progress "Building airtab's simulator" build --release -p airtab --no-default-features; fi
	@$(AIRTAB) compare scenarios/homes/family-evening.toml --seeds 10

build: ## target/release/airtab, the whole program: some five minutes on two cores the first time
	@tools/progress "Building airtab" build --release -p airtab
	@touch $(WHOLE)

live: build ## a game, pages and a download in real time, with fifo and then with chap (root)
	@[ "$$(id -u)" = 0 ] || { echo "make live needs root, for network namespaces: sudo make live" >&2; exit 1; }
	@tools/require live
	@# 3: the machine was too busy, which has been said; no failure of the project's
	@tools/rooted $(AIRTAB) live run scenarios/live-demo.toml --queues fifo,chap || [ $$? = 3 ]

live-experiments: build ## the studies' Linux experiments in real time, a quick look of some 8 minutes (root)
	@[ "$$(id -u)" = 0 ] || { echo "make live-experiments needs root, for network namespaces" >&2; exit 1; }
	@tools/require live
	@tools/rooted $(AIRTAB) experiment run --quick $(LIVE_EXPERIMENTS)

experiments: build ## a selection of the studies' experiments: published numbers against measured ones
	@$(AIRTAB) experiment run --quick $(EXPERIMENTS)

HOMES  ?= scenarios/homes
QUEUES ?= chap,airtime_fq,cake,fq_codel
SEEDS  ?= 5

contest: build ## the first of QUEUES against the others over HOMES; PAGE=docs/contest.md: renew the results of the page
	@$(AIRTAB) contest $(HOMES) --queues $(QUEUES) --seeds $(SEEDS) $(if $(PAGE),>$(PAGE).results)
ifdef PAGE
	@sed -i -e '/^<!-- results -->$$/q' $(PAGE) && cat $(PAGE).results >>$(PAGE) && rm $(PAGE).results
endif

test: ## the tests of a change, in some minutes: C core, Rust crates, command line; as root also live ones
	@$(MAKE) --no-print-directory -j$$(nproc) -C core test
	@tools/test

test-all: ## all tests: Monte Carlo simulations, acceptance bands and random homes, too
	@$(MAKE) --no-print-directory -j$$(nproc) -C core test
	@tools/test all

test-python: ## the package for Python: a wheel in an empty environment, its tests, examples, notebooks and types
	@tools/test-python

nightly: build ## what takes longer than .ci/run: fuzzing, soak, every experiment, wrong versions (root)
	@tools/require chromium clang flent live node patch tshark
	@tools/steps --keep-going \
		'30m env AIRTAB_CHROMIUM=1 tools/rooted $(CARGO) test --quiet -p airtab-live --test it a_browser_ -- --ignored' \
		'30m crates/airtab/tests/templates.sh' \
		'30m tools/rooted crates/airtab/tests/flent.sh $(AIRTAB)' \
		'90m make fuzz SECONDS=1800' \
		'20m make mutants' \
		'40m make soak SECONDS=600' \
		'20m make kernel-cross' \
		'30m make check-targets' \
		'20m make book' \
		'20m make check-project' \
		'90m make deb-dkms-test' \
		'2h make test-dist' \
		'1h make test-packages' \
		'30m make test-web' \
		'2h make kernel-debug-test' \
		'1h kernel/test/run --kernel 6.1 --stress 600 governor_stress' \
		'30m kernel/test/run --kernel 6.12 governor_kinds' \
		'1h kernel/test/run --everywhere' \
		'1h kernel/test/run --kernel 6.12 --cpus 2' \
		'6h $(AIRTAB) experiment run --stale' \
		"6h make mutants-rust SHARD=$$(expr $$(date +%s) / 86400 % 40 + 1)/40"

bench: ## speed of the disciplines, of the simulator and of a live report; BASE=COMMIT: beside that commit's
ifdef BASE
	@tools/bench-ratios $(BASE)
else
	@$(CARGO) bench --quiet -p airtab-core --bench core
	@$(CARGO) bench --quiet -p airtab-sim --bench sim
	@$(CARGO) bench --quiet -p airtab-sim --bench tcp
	@$(CARGO) bench --quiet -p airtab-live --bench report
	@$(CARGO) bench --quiet -p airtab-live --bench outcome
	@$(CARGO) bench --quiet -p airtab-lab --bench contention
endif

web: ## builds the page of `airtab serve` from web/ into crates/airtab-serve/assets
	@tools/require node
	@web/build

test-web: build ## the page of `airtab serve`: its parts, and all its views in a real browser on the real server
	@tools/require node chromium
	@[ "$$(id -u)" != 0 ] || tools/require live
	@AIRTAB=$(abspath $(AIRTAB)) web/test

bench-users: ## what the package for Python costs beside the command, a cluster beside threads, and large results
	@tools/bench-users

lint: ## formatting, warnings, and the rules that kernel code must keep
	@tools/licences
	@tools/book --check
	@tools/require clang patch
	@core/mutants/run 0/1
	@echo "Checking the C core (gcc, clang, 32 bits) ..."
	@$(MAKE) --no-print-directory -C core check
	@$(CARGO) fmt --all --check
	@tools/progress "Checking the Rust crates" clippy --workspace --all-targets -- -D warnings
	@tools/progress "Checking the program of make demo" clippy -p airtab --no-default-features -- -D warnings
	@# A workspace of its own. Nothing is linked, so libFuzzer need not be there, nor a C++ compiler.
	@CUSTOM_LIBFUZZER_PATH=/nowhere/libfuzzer.a tools/progress "Checking the fuzzer" \
		check --locked --manifest-path fuzz/Cargo.toml --target-dir $(or $(CARGO_TARGET_DIR),target)
	@RUSTDOCFLAGS="-D warnings" tools/progress "Checking their documentation" doc --workspace --no-deps

check-targets: ## whether the program compiles for Windows and macOS, without what needs Linux
	@tools/check-targets

check-project: ## licences of every file, the citation, and every scenario and experiment against its schema
	@tools/check-project

licences: ## what is linked with may be: licences, duplicates, sources (deny.toml), and their notices can be made
	@tools/deny licences
	@$(MAKE) --no-print-directory notices

advisories: ## known holes in what is linked with; fails where their database cannot be had
	@tools/deny advisories

notices: ## target/THIRD-PARTY, the notices that go with the program
	@tools/require python
	@mkdir -p target
	@tools/notices >target/THIRD-PARTY.new && mv target/THIRD-PARTY.new target/THIRD-PARTY
	@echo "Wrote target/THIRD-PARTY: hand it on with the program, which is under MIT."

mutants: ## wrong builds of the core, each of which must turn the test red that it names; SHARD=2/5: a fifth of them
	@tools/require patch
	@$(MAKE) --no-print-directory -C core mutants SHARD=$(SHARD)

mutants-rust: ## mutants of the Rust code above the simulator, or a part of them: SHARD=1/40
	@tools/mutants-rust $(SHARD)

mutants-change: ## the same in the lines that were added since a commit, before they are pushed: BASE=origin/main
	@git rev-parse --verify --quiet '$(BASE)^{commit}' >/dev/null || { echo "name the commit before the change: make mutants-change BASE=COMMIT ('$(BASE)' is none)" >&2; exit 2; }
	@mkdir -p target && cp "$$(git rev-parse --git-path index)" target/change.index
	@GIT_INDEX_FILE=target/change.index git add --intent-to-add crates && GIT_INDEX_FILE=target/change.index git diff '$(BASE)' -- crates >target/change.diff
	@[ -s target/change.diff ] || { echo "no change of crates/ since $(BASE): name another BASE=COMMIT" >&2; exit 2; }
	@tools/mutants-rust --in-diff target/change.diff

soak: ## a real house under full load while everything changes, SECONDS=600 (root)
	@tools/require live
	@tools/progress "Building the test" test -p airtab-live --test soak --no-run
	@AIRTAB_SOAK=$(or $(SECONDS),600) tools/rooted $(CARGO) test --quiet -p airtab-live --test soak -- --nocapture

fuzz: ## random operations and packets against disciplines and access point under sanitizers, SECONDS=60
	@tools/require clang
	@$(MAKE) --no-print-directory -C core fuzz
	@$(MAKE) --no-print-directory -C fuzz fuzz

kernel: ## the Linux qdiscs, the tc plugin and their man pages, for this kernel or KERNEL=6.12
	@$(MAKE) --no-print-directory -C kernel module tc man

install-kernel: ## installs them for this kernel
	@$(MAKE) --no-print-directory -C kernel install

kernel-test: ## the qdiscs in QEMU guests with stock Debian kernels 6.1 and 6.12; PART=2/5: a fifth of them
	@tools/require guest
	@kernel/test/run $(if $(PART),--part $(PART))

kernel-debug-test: ## the same with a kernel that looks for bugs, on two processors, and stress
	@tools/require guest kbuild
	@kernel/test/run --kernel debug

kernel-cross: ## modules and tc plugin for 32-bit processors, armhf and mipsel; the OpenWrt recipe
	@tools/require cross
	@$(MAKE) --no-print-directory -C kernel cross
	@kernel/openwrt/check

deb-dkms: ## Debian packages into kernel/build/deb: the modules for DKMS, the tc plugin
	@$(MAKE) --no-print-directory -C kernel deb

deb-dkms-test: deb-dkms ## installs, loads, uses and removes them on a Debian 12 in QEMU (root)
	@tools/require debian guest
	@kernel/deb/test

dist: ## target/dist: a static program, a Debian package, what a container needs, and their sums
	@tools/dist

test-dist: ## makes it twice, compares, and installs, uses and removes it (root)
	@tools/require lintian
	@tools/test-dist

test-packages: ## the crates as cargo packages them, and the program installed from packages, without the repository
	@tools/test-packages

figures: build ## pictures of every kind of figure into docs/images; QUICK=--quick: with fewer seeds
	@tools/require chromium
	@tools/figures $(AIRTAB) docs/images $(QUICK)

book: ## target/book: the pages of docs/ with search, every link of it followed
	@tools/book

docs: ## API documentation into target/doc; the pages are in docs/
	@$(CARGO) doc --workspace --no-deps --quiet
	@echo "Open target/doc/airtab_sim/index.html; the pages to read first are in docs/architecture.md"

clean: ## removes what was built
	@$(CARGO) clean --quiet
	@$(MAKE) --no-print-directory -C core clean
	@$(MAKE) --no-print-directory -C fuzz clean
	@$(MAKE) --no-print-directory -C kernel clean
