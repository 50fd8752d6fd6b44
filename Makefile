# `make` lists the targets. `make test` installs missing packages if it may; tools/setup.sh
# lists them. The control plane is built once and kept in the user's cache folder.
.DEFAULT_GOAL := help
SHELL := bash

MODULES := . conformance conformance/suites conformance/export bench compat/controllerruntime examples/controllers tools
GOTOOL := go tool -modfile=$(CURDIR)/tools/go.mod
CLUSTER := go run -C conformance ./cmd/cluster --dir ../.cluster
ALL_DATABASES := VEDETTE_TEST_DATABASES=sqlite,postgres,mariadb
# A count, not a time: at the end of a time, Go before 1.27 may report a false failure
# (go.dev/issue/75804).
FUZZTIME ?= 20000x
# Random histories for the models of the recorder.
CASES ?= 200
HOSTILE ?= 1h
CHAOS ?= 10m

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## show Vedette at work, without a cluster
	go run ./cmd/vedette demo

.PHONY: setup
setup: ## install what the tests need, or list what to install
	@tools/setup.sh

.PHONY: test
test: setup ## run all tests (30 minutes; 55 the first time, on two cores)
	@echo "make test takes about 30 minutes on two cores, and 55 the first time: it builds a control plane once."
	@MAKE="$(MAKE)" tools/steps.sh unit databases queries conformance

.PHONY: long
long: setup ## run the tests that take hours: a large history, kills and outages, a soak of each database
	@echo "make long takes several hours: the soak alone takes 30 minutes for each of three databases."
	@MAKE="$(MAKE)" tools/steps.sh platforms many models latency suites chaos swap kubectl dialect image dropin controllers hostile kills clocks shared loads galera soak

.PHONY: unit
unit: ## run the tests that need only Go, make and gcc, with the race detector (2 minutes; 10 the first time)
	@tools/setup.sh compiler
	tools/racetest.sh -shuffle=on -timeout 20m -- ./...
	go test -C bench ./...
	tools/racetest.sh -C compat/controllerruntime -shuffle=on -timeout 10m -- ./...
	go test -C examples/controllers -shuffle=on -timeout 10m ./...

.PHONY: databases
databases: ## run the tests of the recorder, of streams, of notifications and of the portal on PostgreSQL and MariaDB (unit tests them on SQLite)
	@tools/setup.sh databases
	VEDETTE_TEST_DATABASES=postgres,mariadb go test -count=1 -timeout 30m ./record/... ./stream ./notify/delivery ./notify ./portal/insight ./portal/stats ./portal/audit
	set -e; for kind in postgres mariadb; do VEDETTE_TEST_DATABASES=$$kind go test -count=1 -timeout 30m ./portal/readapi ./portal/writeapi ./portal/recordapi ./portal; done

.PHONY: queries
queries: ## measure queries over 1,000,000 transitions in SQLite, and over 200,000 in PostgreSQL and MariaDB (2 minutes)
	@tools/setup.sh databases
	go test ./record/history -run TestManyTransitions -count=1 -timeout 20m -transitions 1000000
	VEDETTE_TEST_DATABASES=postgres,mariadb go test ./record/history -run TestManyTransitions -count=1 -timeout 20m -transitions 200000

.PHONY: many
many: ## measure queries over 10,000,000 transitions in each database (25 minutes, 10 GB in the folder for temporary files)
	@tools/setup.sh databases
	$(ALL_DATABASES) go test ./record/history -run TestManyTransitions -count=1 -timeout 2h -v -transitions 10000000

.PHONY: conformance
conformance: ## run the tests against a real control plane and a mail server (building the first takes 15 minutes, once)
	@tools/setup.sh databases linux mail pages browser prometheus
	npm ci --prefix portal/ui --no-audit --no-fund
	@echo "Building the control plane if it is not in the cache: about 15 minutes on two cores, once."
	go run -C conformance ./cmd/cluster build
	@# The longest first: two packages run at a time. swap and dropin compile Kubernetes and controllers again: make long runs them.
	$(ALL_DATABASES) go test -C conformance -count=1 -timeout 45m ./record $$(go -C conformance list ./... | grep -v -e '/record$$' -e '/swap$$' -e '/dropin$$')
	go test -C conformance/suites -count=1 -timeout 20m ./...
	go test -C conformance/export -count=1 -timeout 20m ./...

.PHONY: suites
suites: ## run the tests of client-go and controller-runtime against our adapters, and against themselves, 20 times in a row with the race detector
	go test -C conformance/suites -count=1 -timeout 12h ./upstream -v -engines stock,bridge,ours -times 20 -racy

.PHONY: chaos
chaos: ## hold informers of client-go and ours side by side on a real control plane, for CHAOS (10m) of faults, with the race detector
	@tools/setup.sh linux
	go test -C conformance -race ./chaos -count=1 -timeout 3h -v -chaos=$(CHAOS)

.PHONY: swap
swap: ## build two unmodified controllers with the engine, by vedette swap, and run them (10 minutes the first time)
	@tools/setup.sh linux
	go test -C conformance ./swap -count=1 -timeout 40m -v

.PHONY: dropin
dropin: ## run kube-scheduler and kube-controller-manager on client-go's informers and on ours: 2,000 pods on 100 nodes (30 minutes)
	@tools/setup.sh linux
	go test -C conformance ./dropin -count=1 -timeout 2h -v -dropin.full -dropin.factories=stock,vedette,vedette-live

# Modules of their own: each brings the dependencies of its project.
CONTROLLERS := $(addprefix conformance/controllers/,certmanager clusterapi keda)
.PHONY: controllers
controllers: ## run controllers of other projects on controller-runtime's cache and on ours, on a real API server (40 minutes; half an hour more the first time, for the dependencies of KEDA)
	@tools/setup.sh linux
	set -e; for module in $(CONTROLLERS); do go -C $$module mod tidy -diff && go -C $$module vet ./... && go -C $$module fix -diff ./... && go test -C $$module -count=1 -timeout 90m -v ./...; done

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

# The packages for users of client-go 0.36. One test compares with the types of 0.37.
ENGINE := wire delta kube reflector store informer workqueue controller compat/clientgo/...
.PHONY: clientgo036
clientgo036: ## run the tests of the engine and of its adapters with client-go 0.36
	go test -C conformance/kubernetes -tags clientgo036 -timeout 20m -skip TestBuiltinTypesMatchClientGo $(addprefix github.com/vedette-io/vedette/,$(ENGINE))

.PHONY: latency
latency: ## measure the way from the API server to the browser with 500 jobs, on a machine that does nothing else (10 minutes)
	@tools/setup.sh databases linux pages browser
	$(ALL_DATABASES) go test -C conformance ./portal -run TestShownEqualsServer -count=1 -timeout 90m -v -portal.exact

.PHONY: hostile
hostile: ## expose informers to random hostile servers for HOSTILE (1h), in fake time, with the race detector
	go test -C conformance -race ./hostile -count=1 -timeout 24h -hostile.for=$(HOSTILE)

.PHONY: kills
kills: ## kill recorders, databases and API servers 30 times under 500 jobs, and notifiers 30 times under 10,000 transitions, with outages of 30 s
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record -run TestKilled -count=1 -timeout 3h -v -jobs=500 -kills=30 -outage=30s
	$(ALL_DATABASES) go test -C conformance ./record -run TestNotified -count=1 -timeout 3h -v -transitions=10000 -notifier-kills=30 -outage=30s

.PHONY: clocks
clocks: ## run recorders and notifiers whose clocks jump, and recorders with unlike clocks and settings (10 minutes; it compiles everything again, with another clock)
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record -run 'TestClockJumps$$|TestUnlikeMembers$$' -count=1 -timeout 1h -v -clocks

.PHONY: shared
shared: ## disturb five recorders that share the work for ten minutes, on each database: Jobs of a real control plane, then three clusters with 500 changes a second
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record -run 'TestShared$$' -count=1 -timeout 3h -v -sharing=5 -disturbance=10m -jobs=800
	$(ALL_DATABASES) go test -C conformance ./record -run 'TestFleet$$' -count=1 -timeout 3h -v -sharing=5 -disturbance=10m -changes=500

.PHONY: loads
loads: ## measure the traffic and the CPU of 1, 2 and 4 recorders that share three clusters with 500 changes a second (10 minutes)
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record -run 'TestFleetLoads$$' -count=1 -timeout 1h -v -changes=500

.PHONY: galera
galera: ## kill the nodes of a MariaDB Galera cluster, one after another and all at once, three times, while recorders share the work
	@tools/setup.sh databases linux
	go test -C conformance ./record -run 'TestGalera$$' -count=1 -timeout 1h -v -galera=3 -jobs=200

.PHONY: soak
soak: ## run recorders for 30 minutes on each database, with faults, and check that they do not grow
	@tools/setup.sh databases linux
	$(ALL_DATABASES) go test -C conformance ./record -run TestSoak -count=1 -timeout 4h -v -soak=30m

.PHONY: fuzz
fuzz: ## run the fast fuzz targets for FUZZTIME (20000x is 20,000 inputs); the others run with their seeds in unit
	@set -e; for package in wire internal/jsontext internal/pack store internal/printable internal/jobspec submit/manifest submit/template record/jobfilter record/jobtrace notify/rule notify/config notify/channel notify/channel/feishu notify/channel/slack webhook; do \
	  for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$package/*_test.go | cut -d' ' -f2); do \
	    go test ./$$package -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x; done; done

.PHONY: models
models: ## compare the recorder and its queries with simple models, over 3,000 histories
	$(MAKE) model CASES=3000

.PHONY: model
model: ## compare the store and all queues with simple models, over 100,000 random operations; the recorder and its queries over CASES histories
	go test ./store ./delta ./workqueue -count=1 -run "Model|NeverReads" -rapid.checks=1500 -rapid.steps=90
	go test ./record ./record/internal/batch ./record/history ./record/retention ./record/jobfilter ./record/jobindex -count=1 -timeout 20m -run Model -rapid.checks=$(CASES)

.PHONY: ui
ui: ## build the pages of the portal from their sources, and check that dist is what is committed
	@tools/setup.sh pages
	npm ci --prefix portal/ui --no-audit --no-fund
	npm run --prefix portal/ui check
	go run ./portal/ui/build -test
	go run ./portal/ui/build
	@git diff --exit-code --stat -- portal/ui/dist portal/ui/src/api.ts && test -z "$$(git status --porcelain -- portal/ui/dist)" || { echo "portal/ui/dist is not what the sources give: commit it"; exit 1; }

.PHONY: lint
lint: ## run gofumpt, vet, go fix and staticcheck over all modules
	@set -eo pipefail; unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs $(GOTOOL) gofumpt -l); test -z "$$unformatted" || { echo "not formatted (go tool -modfile=tools/go.mod gofumpt -w .):"; echo "$$unformatted"; exit 1; }
	@set -e; for module in . conformance conformance/suites conformance/export bench compat/controllerruntime examples/controllers; do echo "lint $$module"; (cd $$module && \
	  go vet ./... && go fix -diff ./... && $(GOTOOL) staticcheck ./...); done
	@echo "lint conformance/kubernetes"; cd conformance/kubernetes && go vet -tags clientgo036 ./... # the others take minutes for its dependencies

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
.PHONY: platforms
platforms: ## build and vet the program, with its tests, for Linux, macOS and Windows on amd64 and arm64, without the platform of this machine, which lint vets
	@set -e; for platform in $(filter-out $(shell go env GOHOSTOS)/$(shell go env GOHOSTARCH),$(PLATFORMS)); do echo "platform $$platform"; export CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
	  go build ./... && go vet ./...; done

.PHONY: crossvet
crossvet: ## type-check and vet the program, with its tests, for the other platforms, without compiling it (2 minutes)
	@go build -C tools -o ../bin/crossvet ./crossvet
	@for platform in $(filter-out $(shell go env GOHOSTOS)/$(shell go env GOHOSTARCH),$(PLATFORMS)); do echo "crossvet $$platform"; \
	  found=$$(CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} bin/crossvet ./... 2>&1) || { echo "$$found" | grep -v -e 'analysis skipped' -e 'failed prerequisites'; exit 1; }; done

.PHONY: tidy
tidy: ## check that every go.mod is tidy; `make controllers` checks those with the dependencies of other projects
	@set -e; for module in $(MODULES) conformance/kubernetes conformance/build/etcd conformance/build/kubernetes conformance/build/kwok; do \
	  go -C $$module mod tidy -diff; done

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
