# `make` lists the targets. They install missing packages if they may; tools/setup.sh lists
# them. The control plane is built once and kept in the user's cache folder.
.DEFAULT_GOAL := help
SHELL := bash

# Every module is built and tested as its own go.mod says, except those of go.work: their
# commands have $(WORK).
export GOWORK := off
WORK := GOWORK=auto
comma := ,
CLUSTER := go run -C conformance ./cmd/cluster --dir ../.cluster
# D=postgres selects a kind of database.
ALL_DATABASES := VEDETTE_TEST_DATABASES=$(or $(D),sqlite$(comma)postgres$(comma)mariadb)
# A count, not a time: at the end of a time, Go before 1.27 may report a false failure
# (go.dev/issue/75804).
FUZZTIME ?= 20000x
# Random histories for the models of the recorder.
CASES ?= 3000
HOSTILE ?= 20m
CHAOS ?= 10m

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## show Vedette at work, without a cluster
	$(WORK) go run ./cmd/vedette demo

.PHONY: setup
setup: ## install what the tests need, or list what to install
	@tools/setup.sh

GATE := go run -C tools ./gate
T ?= 10m
SINCE ?= HEAD

.PHONY: check
check: ## the loop while you work: vet, lint and unit tests of what your changes affect
	@$(GATE) check

.PHONY: test
test: ## the test plan of the gate: whatever your changes affect (everything, the first time)
	@$(GATE) test

.PHONY: nightly
nightly: ## the parts of the nightly run that are not green yet with these inputs; PART=kills runs one; it may be stopped at any time
	@$(GATE) nightly $(if $(PART),-part $(PART))

.PHONY: source
source: ## build, format, vet, lint, policy, go.mod files and pages: what the gate checks before the tests
	@$(GATE) source

.PHONY: affected
affected: ## list the packages that the changes since SINCE (HEAD) can affect
	@$(GATE) affected -since $(SINCE)

.PHONY: stress
stress: ## run as many rounds of tests of P (./store ./kube/...) as fit into T (10m), beside a loaded processor and disk
	@$(GATE) stress -for $(T) $(P)

# The targets below are parts of the nightly run.

.PHONY: databases
databases: ## run the tests of all packages that use a database on D (postgres, mariadb, or pgbouncer)
	@tools/setup.sh databases
	VEDETTE_TEST_DATABASES=$(D) $(WORK) go test -count=1 -timeout 30m ./platform/sqldb/... ./platform/internal/... ./platform/feed ./platform/history ./platform/jobindex ./platform/logs/joblog ./platform/logs/logkeeper ./platform/retention ./platform/record/... ./platform/send/... ./platform/world/... ./platform/notify/delivery ./platform/notify ./platform/portal/insight ./platform/portal/stats ./platform/portal/audit ./platform/portal/readapi ./platform/portal/writeapi ./platform/portal/recordapi ./platform/portal

.PHONY: queries
queries: ## measure queries over 1,000,000 transitions in SQLite, and over 200,000 in PostgreSQL and MariaDB (2 minutes)
	@tools/setup.sh databases
	$(WORK) go test ./platform/history -run TestManyTransitions -count=1 -timeout 20m -transitions 1000000
	VEDETTE_TEST_DATABASES=postgres,mariadb $(WORK) go test ./platform/history -run TestManyTransitions -count=1 -timeout 20m -transitions 200000

.PHONY: many
many: ## measure queries over 10,000,000 transitions in each database (25 minutes, 10 GB in the folder for temporary files)
	@tools/setup.sh databases
	$(ALL_DATABASES) $(WORK) go test ./platform/history -run TestManyTransitions -count=1 -timeout 2h -v -transitions 10000000

.PHONY: conformance
conformance: ## run packages of conformance, P (./...), on all databases against a real control plane (building it takes 15 minutes, once)
	@tools/setup.sh databases linux mail pages browser prometheus
	npm ci --prefix platform/portal/ui --no-audit --no-fund
	go run -C conformance ./cmd/cluster build
	$(ALL_DATABASES) go test -C conformance -count=1 -p 4 -timeout 45m $(or $(P),$$(go -C conformance list ./... | grep -v -e '/swap$$' -e '/dropin$$' -e '/slow$$'))

.PHONY: pages
pages: ## check the pages of the portal in Chromium in all looks; the gate checks some
	@tools/setup.sh pages browser
	npm ci --prefix platform/portal/ui --no-audit --no-fund
	VEDETTE_SIZE=full go test -C conformance ./portal/pages -count=1 -timeout 60m -v

.PHONY: suites
suites: ## run the tests of client-go and controller-runtime against our adapters, and against themselves, 20 times in a row with the race detector
	go test -C conformance/suites -count=1 -timeout 12h ./upstream -v -engines stock,bridge,ours -times 20 -racy

.PHONY: chaos
chaos: ## hold informers of client-go and ours side by side on a real control plane, for CHAOS (10m) of faults, with the race detector
	@tools/setup.sh linux
	VEDETTE_PATIENCE=4m go test -C conformance -race ./chaos -count=1 -timeout 3h -v -chaos=$(CHAOS)

# The packages of conformance that run on each version of Kubernetes.
ON_EACH := ./crds ./clients ./engine ./cbor ./followers ./record/rights ./record/window ./e2e ./deploy ./logs ./submit ./portal/why
.PHONY: kubernetes
kubernetes: ## run informer, drop-in, recorder, doctor, submit, logs and the portal's reasons on Kubernetes V, such as 1.28.15 (building it takes 12 minutes, once)
	@tools/setup.sh linux prometheus
	go run -C conformance ./cmd/cluster --kubernetes $(V) build
	VEDETTE_KUBERNETES=$(V) VEDETTE_TEST_DATABASES=sqlite go test -C conformance -p 1 -count=1 -timeout 25m -v $(ON_EACH)

.PHONY: followers
followers: ## hold informers, a recorder and the drop-in on a real control plane through restored data, new schemas and versions, proxies, kine and 1,000 types (25 minutes)
	@tools/setup.sh linux
	go -C conformance/kine mod tidy -diff && go -C conformance/kine vet ./...
	VEDETTE_SIZE=full VEDETTE_PATIENCE=6m go test -C conformance ./followers/... -count=1 -timeout 60m -v
	VEDETTE_SIZE=full VEDETTE_PATIENCE=6m go test -C conformance ./e2e -run 'TestManyTypes$$' -count=1 -timeout 60m -v

.PHONY: swap
swap: ## build two unmodified controllers with the engine, by vedette swap, and run them (10 minutes the first time)
	@tools/setup.sh linux
	go test -C conformance ./swap -count=1 -timeout 40m -v

.PHONY: dropin
dropin: ## run kube-scheduler and kube-controller-manager on client-go's informers and on ours: 2,000 pods on 100 nodes (30 minutes)
	@tools/setup.sh linux
	go test -C conformance ./dropin -count=1 -timeout 2h -v -dropin.full -dropin.factories=stock,vedette,vedette-live

# Modules of their own: each brings the dependencies of its project.
CONTROLLERS := $(addprefix conformance/controllers/,$(or $(P),certmanager clusterapi keda))
.PHONY: controllers
controllers: ## run controllers of other projects, P (all three), on controller-runtime's cache and on ours, on a real API server (40 minutes; half an hour more the first time, for the dependencies of KEDA)
	@tools/setup.sh linux
	set -e; for module in $(CONTROLLERS); do case $$module in *certmanager) limit=5m;; *keda) limit=10m;; *) limit=15m;; esac; go -C $$module mod tidy -diff && go -C $$module vet ./... && go -C $$module fix -diff ./... && VEDETTE_PATIENCE=$$limit go test -C $$module -count=1 -timeout 90m -v ./...; done

.PHONY: image
image: ## build the image of the program with buildah, from scratch, and run it
	@command -v buildah >/dev/null || { echo "buildah is not installed: apt-get install buildah" >&2; exit 1; }
	go test -C conformance ./deploy -run 'TestImage$$' -count=1 -timeout 20m -v -image

.PHONY: dialect
dialect: ## run the tests of drivers on go-mysql-server, a second implementation of MySQL's dialect (3 minutes the first time)
	go -C conformance/dialect mod tidy -diff && go -C conformance/dialect vet ./... && go -C conformance/dialect fix -diff ./... && go test -C conformance/dialect -count=1 -timeout 10m ./...

.PHONY: kubectl
kubectl: ## run kubectl against the API server of package apitest (3 minutes the first time)
	go -C conformance/kubectl mod tidy -diff && go -C conformance/kubectl vet ./... && go -C conformance/kubectl fix -diff ./... && go test -C conformance/kubectl -count=1 -timeout 20m ./...

.PHONY: versions
versions: ## build, vet and test the library with another version of client-go (K=0.34.13) or Go (G=1.25.8), or compat/controllerruntime with one of controller-runtime (R=0.22.5), and print the row for docs/versions.md
	go run -C tools ./versions $(if $(K),-client-go $(K)) $(if $(R),-controller-runtime $(R)) $(if $(G),-go $(G))

.PHONY: latency
latency: ## measure the way from the API server to the browser with 500 jobs, on a machine that does nothing else (10 minutes)
	@tools/setup.sh databases linux pages browser
	$(ALL_DATABASES) go test -C conformance ./portal/shown -run TestShownEqualsServer -count=1 -timeout 90m -v -portal.exact
	$(ALL_DATABASES) go test -C conformance ./record/notified -run TestNotifyLatency -count=1 -timeout 30m -v -latency
	$(ALL_DATABASES) go test -C conformance ./logs -run TestKeptLogs -count=1 -timeout 30m -v -pods=40 -exact
	go test -C conformance ./controller -run TestReplicas -count=1 -timeout 30m -v -exact
	go test -C conformance ./portalrights ./e2e -count=1 -timeout 30m -v -exact

.PHONY: large
large: ## run engine, differential and e2e of conformance at their large sizes (20 minutes)
	@tools/setup.sh linux
	go test -C conformance ./engine -count=1 -timeout 1h -v -engine.pods=20000 -engine.updates=120000
	VEDETTE_CASES=4000 go test -C conformance ./differential -count=1 -timeout 1h
	go test -C conformance ./e2e -count=1 -timeout 1h -v -jobs=200

.PHONY: hostile
hostile: ## expose informers to random hostile servers for HOSTILE (20m), from SEED (1), in fake time, with the race detector
	VEDETTE_SEED=$(or $(SEED),1) go test -C conformance -race ./hostile -count=1 -timeout 24h -hostile.for=$(HOSTILE)

.PHONY: kills
kills: ## kill recorders, databases and API servers 30 times under 500 jobs, and notifiers 30 times under 10,000 transitions, with outages of 30 s
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record/kills -run TestKilled -count=1 -timeout 3h -v -jobs=500 -kills=30 -outage=30s
	$(ALL_DATABASES) go test -C conformance ./record/notified -run 'TestNotified$$' -count=1 -timeout 3h -v -transitions=10000 -notifier-kills=30 -outage=30s

.PHONY: clocks
clocks: ## run recorders and notifiers whose clocks jump, and recorders with unlike clocks and settings (10 minutes; it compiles everything again, with another clock)
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record/clocks -count=1 -timeout 1h -v -clocks -transitions=1500
	go test -C conformance ./controller -run TestClockJumps -count=1 -timeout 1h -v -clocks
	go test -C conformance ./clock -count=1 -timeout 1h -v

.PHONY: shared
shared: ## disturb five recorders that share the Jobs of a real control plane for ten minutes, on each database
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record/sharing -run 'TestShared$$' -count=1 -timeout 3h -v -sharing=5 -disturbance=10m -jobs=800

.PHONY: fleet
fleet: ## disturb five recorders of three clusters with 500 changes a second for ten minutes, on each database
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record/fleet -run 'TestFleet$$' -count=1 -timeout 3h -v -sharing=5 -disturbance=10m -changes=500

.PHONY: loads
loads: ## measure the traffic and the CPU of 1, 2 and 4 recorders that share three clusters with 500 changes a second (10 minutes)
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record/fleet -run 'TestFleetLoads$$' -count=1 -timeout 1h -v -changes=500

.PHONY: galera
galera: ## kill the nodes of a MariaDB Galera cluster, one after another and all at once, three times, while recorders share the work
	@tools/setup.sh databases linux
	go test -C conformance ./record/failover -run 'TestGalera$$' -count=1 -timeout 1h -v -galera=3 -jobs=200
	VEDETTE_TEST_DATABASES=postgres go test -C conformance ./record/failover -run TestStandby -count=1 -timeout 1h -v -failovers=5

.PHONY: soak
soak: ## run recorders for 20 minutes on each database, with faults, and check that they do not grow
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record/soak -run TestSoak -count=1 -timeout 4h -v -soak=20m

.PHONY: fuzz
fuzz: ## run the fuzz targets of P (all) for FUZZTIME (20000x is 20,000 inputs); unit tests run their seeds
	@set -e; for package in $(or $(P),$$(git grep -l '^func Fuzz' -- '*_test.go' ':!conformance' ':!bench' ':!tools' | xargs -n1 dirname | sort -u)); do case $$package in platform/*) GOWORK=auto;; *) GOWORK=off;; esac; \
	  for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$package/*_test.go | cut -d' ' -f2); do \
	    go test ./$$package -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x; done; done

.PHONY: models
models: ## compare the store and all queues with simple models over 100,000 random operations, and the recorder and its queries over CASES (3000) histories
	VEDETTE_CASES=1500 go test ./store ./delta ./workqueue -count=1 -run "Model|NeverReads" -rapid.steps=90
	VEDETTE_CASES=$(CASES) go test ./job/jobfilter -count=1 -timeout 90m -run Model
	VEDETTE_CASES=$(CASES) $(WORK) go test ./platform/record ./platform/internal/batch ./platform/history ./platform/retention ./platform/jobindex -count=1 -timeout 90m -run Model
	VEDETTE_CASES=300 $(WORK) go test ./platform/notify/delivery -count=1 -timeout 90m -run Model

# The packages P (all), in one command for those of the root module and one for those of go.work.
PACKAGES = $(or $(P),./... $(IN_WORK))
IN_WORK := ./platform/... ./cmd/vedette/... ./examples/...
define each
$(if $(filter-out ./platform% ./cmd% ./examples%,$(PACKAGES)),$(1) $(filter-out ./platform% ./cmd% ./examples%,$(PACKAGES)))
$(if $(filter ./platform% ./cmd% ./examples%,$(PACKAGES)),$(WORK) $(1) $(filter ./platform% ./cmd% ./examples%,$(PACKAGES)))
endef

.PHONY: full
full: ## run the unit tests of P (all) at their full sizes, with the race detector; the gate runs small ones
	$(call each,VEDETTE_SIZE=full tools/racetest.sh -timeout 60m --)

.PHONY: shuffle
shuffle: ## run the unit tests of P (all) three times in a random order, with the race detector
	$(call each,tools/racetest.sh -shuffle=on -count=3 -timeout 60m --)

.PHONY: ui
ui: ## build the pages of the portal from their sources, and check that dist is what is committed
	@tools/setup.sh pages
	npm ci --prefix platform/portal/ui --no-audit --no-fund
	npm run --prefix platform/portal/ui check
	$(WORK) go run ./platform/portal/ui/build -test
	$(WORK) go run ./platform/portal/ui/build
	@git diff --exit-code --stat -- platform/portal/ui/dist platform/portal/ui/src/api.ts && test -z "$$(git status --porcelain -- platform/portal/ui/dist)" || { echo "platform/portal/ui/dist is not what the sources give: commit it"; exit 1; }

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
.PHONY: platforms
platforms: ## build and vet the library and the program, with its tests, for Linux, macOS and Windows on amd64 and arm64, without the platform of this machine, which lint vets; P=windows/arm64 is one of them
	@set -e; for platform in $(or $(P),$(filter-out $(shell go env GOHOSTOS)/$(shell go env GOHOSTARCH),$(PLATFORMS))); do echo "platform $$platform"; export CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
	  go build ./... && go vet ./... && $(WORK) go build $(IN_WORK) && $(WORK) go vet $(IN_WORK); done

.PHONY: bench
bench: ## compare with client-go (5 minutes); BENCH='-json a.json' passes flags
	go run -C bench . $(BENCH)

.PHONY: bench-full
bench-full: ## run all benchmarks and write docs/benchmarks.md and bin/bench.json (two hours)
	mkdir -p bin
	go run -C bench . -full -out ../docs -json ../bin/bench.json

.PHONY: cluster
cluster: ## start a real control plane with five simulated nodes in the background
	@$(CLUSTER) up

.PHONY: cluster-status
cluster-status: ## show which of its processes run
	@$(CLUSTER) status

.PHONY: cluster-stop
cluster-stop: ## stop it
	@$(CLUSTER) down

.PHONY: ci
ci: ## run the gate
	bash .ci/run
