# Two commands for a fresh machine: make demo, make test.
SHELL := /bin/bash
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
CONNECTORS := $(patsubst cmd/loam-connector-%,%,$(wildcard cmd/loam-connector-*))
BUILT = $(if $(links),$(CONNECTORS),$(filter-out $(CGO_CONNECTORS),$(CONNECTORS)))
BIN := bin
# Only these connectors link C and C++ and need a compiler; all else is pure Go.
CGO_CONNECTORS := duckdb
# What of DuckDB's library nothing calls stays out of the program.
CGO_LDFLAGS_linux = -extldflags '-Wl,--exclude-libs,ALL -Wl,--gc-sections $(if $(SHORT_RUN),$(LINKER:%=-fuse-ld=%))'
links = $(shell echo 'int main(void) { return 0; }' | $(CC) -x c - -lstdc++ -o /dev/null 2>/dev/null && echo yes)
# mold or lld links DuckDB in a third to a half of the time of binutils' linker. Tests are linked so, and the programs
# of the short tests; programs that ship are not. Without either, the compiler's own linker does.
LINKER := $(shell for l in mold lld; do echo 'int main(void) { return 0; }' | $(CC) -fuse-ld=$$l -x c - -o /dev/null 2>/dev/null && echo $$l && break; done)
TOOLS := $(BIN)/tools
GOLANGCI_VERSION := v2.15.0
GREMLINS_VERSION := v0.6.0
TESTFLAGS ?=
# Programs and tests are compiled alike, so that nothing is compiled twice: without the paths of this machine, and with
# Go's own look-up of names and users, so that all programs but DuckDB's connector are static.
# Snowflake's driver embeds a native library and loads it as it starts; minicore_disabled leaves it out. No program keeps
# what debuggers read (-s -w), which takes a seventh of the time of compiling; traces of goroutines do not need it.
export GOFLAGS += -tags=minicore_disabled,netgo,osusergo -trimpath -gcflags=all=-dwarf=false $(LINKER:%=-ldflags=-extldflags=-fuse-ld=%)

# A collector that waits for four times as much garbage takes a fifth off the time of compilers and a third off that of
# tests. The programs have their own rule (sdk/heap), by which the end-to-end tests run them.
$(addprefix program-,$(CONNECTORS)) $(BIN)/loam compiled vetted ci test test-short conformance: export GOGC = 400

.PHONY: build connectors programs release demo test test-short servers ci compiled vetted conformance conformance-mcp bench bench-mcp bench-console pictures test-views bench-tpch bench-windows soak eval-search lint mutate proto proto-check docs generated clean $(addprefix connector-,$(CONNECTORS)) $(addprefix program-,$(CONNECTORS))

## build: loam and every connector into ./bin; without a C compiler all but DuckDB's
build: connectors
	@$(MAKE) --no-print-directory $(BIN)/loam
	@$(if $(links),,echo 'left out: $(CGO_CONNECTORS), which needs a C compiler and the C++ library (Debian: apt install g++); then run make build again')

connectors: $(addprefix connector-,$(BUILT))

# A connector and its manifest. The manifest is written by the connector itself, which runs on this machine alone.
$(addprefix connector-,$(CONNECTORS)): connector-%: program-%
	@$(BIN)/loam-connector-$*$(EXE) manifest --output $(BIN)/loam-connector-$*.json

programs: $(addprefix program-,$(BUILT))

EXE = $(if $(filter windows,$(shell $(GO) env GOOS)),.exe)
$(addprefix program-,$(CONNECTORS)): program-%:
	@mkdir -p $(BIN)
	$(if $(filter $*,$(CGO_CONNECTORS)),CGO_ENABLED=1 CC=$(CC)) $(GO) build -ldflags "-s -w $(if $(filter $*,$(CGO_CONNECTORS)),$(CGO_LDFLAGS_$(shell $(GO) env GOOS)))" -o $(BIN)/loam-connector-$*$(EXE) ./cmd/loam-connector-$*

# The host knows the checksums of the connectors it was built with.
.PHONY: $(BIN)/loam
$(BIN)/loam:
	@mkdir -p $(BIN)
	@sums=$$(for f in $(BIN)/loam-connector-*; do [[ $$f == *.json || ! -x $$f ]] || { name=$${f#$(BIN)/loam-connector-}; printf '%s=%s,' "$${name%.exe}" "$$(sha256sum "$$f" | cut -d' ' -f1)"; }; done); \
	echo '$(GO) build -o $(BIN)/loam$(EXE) ./cmd/loam'; \
	$(GO) build -ldflags "-s -w -X main.version=$(VERSION) -X github.com/loam-data/loam/host/internal/connector.bundledSums=$${sums%,}" -o $(BIN)/loam$(EXE) ./cmd/loam

## release: archives with their checksums and bills of materials in ./dist, from what is checked out (RELEASEFLAGS)
release:
	$(GO) run ./scripts/release $(RELEASEFLAGS)

## demo: a project on a sample database, and a tour of real calls
demo: connector-sqlite
	@$(MAKE) --no-print-directory $(BIN)/loam
	@$(BIN)/loam demo loam-demo

## test: the program end to end with SQLite and PostgreSQL, and the packages it stands on, in minutes; says what is left to the targets below
test:
	@$(call short,$(TRIED),./e2e $(CORE))
	@echo 'left to make test-short: all other packages, and connectors ($(filter-out $(TRIED),$(NEAR)))'
	@echo 'left to make ci, which runs everything in full: $(FAR)'

## test-short: all packages in their short form
test-short:
	@$(if $(links),,echo 'left out: $(CGO_CONNECTORS), which needs a C compiler and the C++ library')
	@$(call short,$(NEAR),./e2e ./host/internal/semantic/oracle $(NEAREST) $(WAITING) $(CLOSE),"-C proto/compile $(SHORT) $(TESTFLAGS) ./...")
	@echo 'left to make ci, which runs everything in full: $(FAR)'

# short runs the short tests $(2) on programs of their own, loam and the connectors $(1), beside the go test $(3).
# go list -export compiles as go build does and links nothing, so that each program is linked once.
define short
	echo 'test: building the programs; the first time every dependency is compiled, which takes minutes'; \
	rm -rf $(BIN)/test && \
	$(GO) list -export $(addprefix ./cmd/loam-connector-,$(1)) ./cmd/loam ./e2e >/dev/null && \
	$(MAKE) --no-print-directory -j $(PROCESSORS) $(addprefix connector-,$(1)) servers BIN=$(BIN)/test SHORT_RUN=yes && \
	$(MAKE) --no-print-directory $(BIN)/test/loam BIN=$(BIN)/test && \
	LOAM_BIN=$(abspath $(BIN)/test) $(PROGRESS) -together "$(SHORT) -p $(TESTS) -parallel $(TESTS) -timeout 30m $(TESTFLAGS) $(2)" $(3)
endef

# What make test tries end to end, and the packages it runs: what answers come from.
TRIED := sqlite postgres
CORE = $(shell $(GO) list ./sdk/... ./proto/... ./host/internal/{query,planner,search,semantic}/... | grep -v '/search/eval$$\|/oracle')
FAR = the connectors without a server here and their fixtures ($(REMOTE)), the example of a connector, plugins and host/internal/savedquery/engine, which have all of them, the console in a browser, the parsers that statements are compared with ($(COMPARED)), and the tests of what tests use (e2e/bench, conformance, kit, progress, service, testserver)

# What the workspace has: the program, and the two modules that connectors require.
MODULES := ./... ./sdk/... ./proto/...
# Connectors of services that cannot be had here: their drivers take minutes to compile and link, and their tests run
# against fixtures. The short targets leave them out, what tests all connectors together, and what tests the tests; go test
# ./plugins/snowflake runs one.
REMOTE := bigquery snowflake sqlserver
NEAR = $(filter-out $(REMOTE),$(BUILT))
CLOSE = $(shell $(GO) list $(MODULES) | grep -v 'bigquery\|snowflake\|sqlserver\|/e2e/\|/plugins$$\|/savedquery/engine$$')

# Modules of their own, outside the workspace: they see what a stranger's would.
ALONE := GOWORK=off $(GO) -C

# The parsers of engines that the reader of statements is compared with: PostgreSQL's is C, and takes minutes to compile once.
COMPARED := host/internal/statement/compare

# The console in a browser: what drives it stays out of all other modules.
BROWSED := e2e/console

# make ci and the linter vet.
SHORT := -short -count=1 -vet=off

# Packages start in this order, so that the longest is not the last one.
NEAREST := ./plugins/clickhouse ./plugins/mysql ./plugins/postgres ./plugins/duckdb
# These take longer than their share of the processors.
WAITING := ./e2e/arch ./host/internal/connector ./host/internal/scan/privacy ./host/internal/semantic/model
# Two of three tests wait for a server or a program.
PROCESSORS := $(shell getconf _NPROCESSORS_ONLN)
TESTS := $(shell echo $$((3 * $(PROCESSORS))))
PROGRESS := $(GO) run ./e2e/progress

# servers: which servers the tests run against, and which are skipped
servers:
	@$(GO) test -count=1 -vet=off -v -run '^TestFound$$' ./e2e/testserver | sed -n 's/^ *[a-z_]*\.go:[0-9]*: /servers: /p'

# compiled: fills the compile cache with what compiles on the machine as it is. With all processors for compilers, their
# collectors may wait still longer: it takes another tenth off, and the largest package 2 GB.
compiled: export GOGC = 1600
compiled:
	@$(GO) list -e -export -test $(MODULES) >/dev/null 2>&1 || true
	@$(GO) list -e -export -test $(RACE_BUILD) $(RACED) >/dev/null 2>&1 || true

# PostgreSQL's parser is C of which a test reads 1,786 statements: to optimize it takes three times as long as to compile it.
QUICK_C := CGO_CFLAGS=-O0
vetted: $(addprefix vetted-,workspace compare proto browsed csv)
vetted-workspace:
	$(TOOLS)/vet $(MODULES)
vetted-compare:
	cd $(COMPARED) && $(QUICK_C) GOWORK=off $(abspath $(TOOLS))/vet ./...
vetted-proto:
	cd proto/compile && GOWORK=off $(abspath $(TOOLS))/vet ./...
vetted-browsed:
	cd $(BROWSED) && GOWORK=off $(abspath $(TOOLS))/vet ./...
# It needs what the workspace compiles.
vetted-csv: vetted-workspace
	cd examples/connector-csv && GOWORK=off $(abspath $(TOOLS))/vet ./...

## ci: what .ci/run calls
# The kit drives connectors as programs alone (LOAM_CONFORM_MODE); make conformance drives them in all modes.
# vet comes first: it compiles all packages and their tests on all processors, and what follows only links. The browser
# has the processors almost alone: it uses both, and what waits for it has time limits.
ci:
	@mkdir -p $(TOOLS) && $(GO) build -o $(TOOLS)/vet ./e2e/vet
	@$(MAKE) --no-print-directory -j $(PROCESSORS) vetted
	@$(MAKE) --no-print-directory -j $(PROCESSORS) connectors servers
	@test -z "$$(gofmt -l $$(git ls-files '*.go' | grep -v '\.pb\.go$$'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(MAKE) --no-print-directory generated
	@LOAM_BIN=$(abspath $(BIN)) LOAM_REQUIRE_SERVERS=1 $(PROGRESS) -together "-C $(BROWSED) -count=1 -vet=off -timeout 20m ./..." \
		"-C examples/connector-csv -count=1 -vet=off ./..." "-C proto/compile -count=1 -vet=off ./..." "$(QUICK_C) -C $(COMPARED) -count=1 -vet=off ./..."
	@LOAM_BIN=$(abspath $(BIN)) LOAM_REQUIRE_SERVERS=1 LOAM_CONFORM_MODE=binary $(PROGRESS) -together "-count=1 -vet=off -p $(AHEAD) -parallel $(TOGETHER) -timeout 40m ./e2e ./host/internal/semantic/oracle $(REMOTE:%=./plugins/%) $(NEAREST) ./plugins/... $(UNRACED)" \
		"$(RACE) -p $(PROCESSORS) $(RACED)"

# SQLite is C that a program translated to Go, and its memory is not Go's: the race detector finds nothing in it, and doubles
# the time of the tests that use it.
RACE_BUILD := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false
RACE := $(RACE_BUILD) -short -count=1 -vet=off -timeout 30m

# e2e is the longest way through CI; it waits for servers and programs, and a few more packages than processors fill its
# pauses, the longest first. With twice as many, tests that wait for a connector or a deadline wait for a processor instead.
AHEAD := $(shell echo $$((1 + $(PROCESSORS))))
TOGETHER := $(shell echo $$((2 * $(PROCESSORS))))

# The race detector in CI looks at what runs goroutines over memory that they share, between the host, its connectors and its
# clients. All that a package needs is compiled for it again, and to link one takes longer than to run its tests: elsewhere,
# where a database lies between the goroutines or only tests start some, it waits for make race. Where tests have a short form
# it runs that, and the whole runs without it, as do tests of what is allocated. Conformance runs without it, because it counts
# time and memory.
RACED := $(addprefix ./host/internal/,connector flight mcpserver/transport search/value secret) $(addprefix ./sdk/,conform network serve sqlkit wire)
SHORTENED = $(addprefix github.com/loam-data/loam/,$(shell git grep -lE 'testing\.Short\(\)|raceDetector' -- 'host/*_test.go' 'sdk/*_test.go' | xargs -n1 dirname | sort -u))
UNRACED = $(sort $(SHORTENED) $(filter-out $(RACED:./%=github.com/loam-data/loam/%),$(shell $(GO) list $(MODULES) | grep -v /plugins)))

## race: with the race detector, every package that starts goroutines or locks, if it or its tests start some; and the connectors
STARTS := (^|[^a-zA-Z])go (func|[a-zA-Z.]+\()|\.Go\(
SHARES := $(STARTS)|sync\.(RW)?Mutex|atomic\.
FOLDERS := xargs -n1 dirname | sort -u
SHARED = $(addprefix ./,host/internal/mcpserver host/internal/semanticquery $(shell comm -12 \
	<(git grep -lE '$(SHARES)' -- 'host/*.go' 'sdk/*.go' ':!*_test.go' | $(FOLDERS)) <(git grep -lE '$(STARTS)' -- 'host/*.go' 'sdk/*.go' | $(FOLDERS))))
race:
	LOAM_REQUIRE_SERVERS=1 $(GO) test $(RACE) -skip ^TestConformance $(NEAREST) ./plugins/sqlite $(SHARED)

## conformance: run the kit on every connector and write its scoreboard
conformance:
	@rm -f $(BIN)/conformance.jsonl
	LOAM_CONFORM_OUT=$(abspath $(BIN))/conformance.jsonl LOAM_REQUIRE_SERVERS=1 $(GO) test -count=1 -timeout 30m -run TestConformance ./plugins/...
	LOAM_CONFORM_OUT=$(abspath $(BIN))/conformance.jsonl $(ALONE) examples/connector-csv test -count=1 -run TestConformance ./...
	$(GO) run ./sdk/conform/scoreboard -output docs/CONFORMANCE.md $(BIN)/conformance.jsonl

## conformance-mcp: the official suite of the protocol, three times in a row (installs it)
conformance-mcp:
	scripts/setup
	LOAM_REQUIRE_SERVERS=1 $(GO) test -count=1 -v -timeout 30m -run 'TestRequirementSets|TestProjectAsItIs' ./e2e/conformance

## bench: the figures the design names, as ratios within one run
bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./e2e/bench/... ./sdk/readonly/... ./host/internal/query/... ./host/internal/text ./host/internal/search/value ./host/internal/catalog ./host/internal/wiki ./host/internal/discover ./host/internal/relationship ./host/internal/scan/... ./sdk/wire/... ./plugins/...
	$(GO) test -run '^$$' -bench . -benchmem ./host/internal/planner ./host/internal/change
	$(GO) test -run '^$$' -bench Accept -benchtime 500x ./host/internal/memory
	$(GO) test -run '^$$' -bench Drain -benchtime 1x ./host/internal/memory
	$(GO) test -run '^$$' -bench 'Current|Start' -benchtime 20x ./host/internal/indexer
	$(GO) test -run '^$$' -bench Build -benchtime 1x ./host/internal/indexer
	$(GO) test -run '^$$' -bench Search -benchtime 600x ./host/internal/search/eval

## bench-mcp: the product beside other servers, in one run with one client (npm: scripts/setup peers)
bench-mcp: build
	$(GO) run ./e2e/bench/mcp -loam $(BIN)/loam $(BENCHFLAGS)

## pictures: those of docs/console.md, as the tests of the console see them
pictures: build
	@folder=$$(mktemp -d) && LOAM_SCREENSHOTS=$$folder LOAM_BIN=$(abspath $(BIN)) $(ALONE) $(BROWSED) test -count=1 -short -run '^TestStory(Review|Meaning)$$' ./... && \
	cp $$folder/1-review-inbox-light-1280-script.png docs/pictures/console-inbox.png && \
	cp $$folder/1-review-change-light-1280-script.png docs/pictures/console-change.png && \
	cp $$folder/4-meaning-chart-light-1280-script.png docs/pictures/console-chart.png; rm -rf $$folder

## test-views: the stories of the console in all views, with pictures of each step in bin/screenshots
test-views: build
	LOAM_SCREENSHOTS=$(abspath $(BIN))/screenshots LOAM_BIN=$(abspath $(BIN)) $(ALONE) $(BROWSED) test -count=1 -timeout 60m -run '^TestStory' ./... -console.views

## bench-console: first bytes, sizes and memory of the console at 10,000 waiting changes, 100,000 tables and 100,000 calls
bench-console: build
	LOAM_BIN=$(abspath $(BIN)) $(ALONE) $(BROWSED) test -count=1 -v -timeout 60m -run '^TestFigures$$' -console.full

## bench-tpch: compiled statements beside the standard SQL of TPC-H, as ratios in one run
bench-tpch: SCALE ?= 0.2
bench-tpch:
	LOAM_REQUIRE_SERVERS=1 $(GO) test -count=1 -v -timeout 60m -run '^TestBenchmarkSpeed$$' ./host/internal/semantic/oracle -tpch.scale $(SCALE) -tpch.speed sqlite,duckdb,postgres,mariadb,clickhouse-26.7

## bench-windows: measures over windows of a million rows beside plain ones, as ratios in one run
bench-windows:
	LOAM_REQUIRE_SERVERS=1 $(GO) test -count=1 -v -timeout 60m -run '^TestWindowSpeed$$' ./host/internal/semantic/oracle -windows.speed sqlite,duckdb,postgres,mariadb,clickhouse-26.7

## soak: many clients on a mixed load for a while (make soak SOAK=10m), then SIGTERM in the middle
SOAK ?= 30s
soak:
	$(GO) test -count=1 -v -timeout 60m -run '^TestSoak$$' ./e2e -soak $(SOAK)

## eval-search: how well search finds what people ask for (recall@5, MRR, nDCG@10)
eval-search:
	$(GO) test -count=1 -v -run '^Test(Eval|Messy|Apart|Connections)$$' ./host/internal/search/eval

## lint: golangci-lint with the linters named in .golangci.yml (installs it on first use)
lint: $(TOOLS)/golangci-lint
	$(TOOLS)/golangci-lint run $(MODULES)

$(TOOLS)/golangci-lint:
	GOBIN=$(abspath $(TOOLS)) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

## mutate: change the guard, the reach check and the policies, one operator at a time, and see that a test fails; an hour (installs gremlins)
mutate: $(TOOLS)/gremlins
	@for package in $(MUTATED); do echo "mutate: $$package"; module=.; [[ $$package != sdk/* ]] || module=sdk; \
		( cd $$module && GOWORK=off GOFLAGS='-count=1 -vet=off -short -trimpath' CGO_ENABLED=0 \
			$(abspath $(TOOLS))/gremlins unleash --config $(abspath .gremlins.yaml) "./$${package#sdk/}" $(MUTATEFLAGS) ) || exit 1; done

# What decides whether a statement runs, and whether a tool is listed and called; .gremlins.yaml has the rest.
MUTATED ?= sdk/reach host/internal/caller host/internal/token host/internal/mcpserver/tool sdk/readonly

$(TOOLS)/gremlins:
	GOBIN=$(abspath $(TOOLS)) $(GO) install github.com/go-gremlins/gremlins/cmd/gremlins@$(GREMLINS_VERSION)

## proto: regenerate the contract's Go from its .proto
proto:
	$(ALONE) proto/compile run . generate

# proto-check: the committed Go and the frozen descriptors are what the compiler makes of their texts.
# Breaking changes against the released minors are found by go test ./proto/....
proto-check:
	$(ALONE) proto/compile test -count=1 ./...

## docs: regenerate the reference pages from the programs
docs: build
	$(BIN)/loam docs cli > docs/cli.md
	$(BIN)/loam docs tools > docs/tools.md
	$(GO) run ./sdk/internal/reference > docs/connectors/reference.md
	for c in $(BUILT); do $(BIN)/loam docs connector $$c > docs/connectors/$$c.config.md; done

generated: docs
	git diff --exit-code -- docs

clean:
	rm -rf $(BIN) loam-demo dist
