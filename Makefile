# `make` lists what there is. All but `test` and `databases` runs from a fresh clone with
# Go alone; the control plane is built once and kept in the user's cache folder.
.DEFAULT_GOAL := help
SHELL := bash

MODULES := . conformance bench tools
GOTOOL := go tool -modfile=$(CURDIR)/tools/go.mod
CLUSTER := go run -C conformance ./cmd/cluster --dir ../.cluster
# A count, not a time: at the end of a time Go before 1.27 may report a failure where
# there is none (go.dev/issue/75804).
FUZZTIME ?= 20000x

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## see it at work, without a cluster
	go run ./cmd/vedette demo

.PHONY: test
test: unit databases queries conformance ## all tests: race detector, policy, the bench module's, databases, a real control plane

.PHONY: unit
unit: ## the tests that need no control plane (2 minutes)
	go test -race -shuffle=on -timeout 20m ./...
	go test -C bench ./...

.PHONY: databases
databases: ## the recorder's tests on PostgreSQL and MariaDB, which have to be installed (on SQLite they are unit tests)
	VEDETTE_TEST_DATABASES=postgres,mariadb go test -count=1 -timeout 20m ./record/...

.PHONY: queries
queries: ## how long queries take over 1,000,000 transitions in SQLite (a minute)
	go test ./record -run TestManyTransitions -count=1 -timeout 20m -transitions 1000000

.PHONY: many
many: ## the same over 5,000,000 (some 6 minutes, 2 GB in the folder for temporary files)
	go test ./record -run TestManyTransitions -count=1 -timeout 30m -v -transitions 5000000

.PHONY: conformance
conformance: ## the tests against a real control plane (a cold build of it takes about 15 minutes)
	@echo "Building the control plane if it is not in the cache: about 15 minutes on two cores, once."
	go run -C conformance ./cmd/cluster build
	VEDETTE_TEST_DATABASES=sqlite,postgres,mariadb go test -C conformance -count=1 -timeout 30m ./...

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (20000x: so many inputs)
	@set -e; for package in wire store; do \
	  for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$package/*_test.go | cut -d' ' -f2); do \
	    go test ./$$package -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x; done; done

.PHONY: model
model: ## over 100,000 random operations against naive models of the store and of all queues
	go test ./store ./delta ./workqueue -count=1 -run "Model|NeverReads" -rapid.checks=1500 -rapid.steps=90

.PHONY: lint
lint: ## gofumpt, vet, go fix and staticcheck, over all modules
	@unformatted=$$($(GOTOOL) gofumpt -l .); test -z "$$unformatted" || { echo "not formatted (go tool -modfile=tools/go.mod gofumpt -w .):"; echo "$$unformatted"; exit 1; }
	@set -e; for module in . conformance bench; do echo "lint $$module"; (cd $$module && \
	  go vet ./... && go fix -diff ./... && $(GOTOOL) staticcheck ./...); done

.PHONY: tidy
tidy: ## fails if a go.mod does not say what the code needs
	@set -e; for module in $(MODULES) conformance/build/etcd conformance/build/kubernetes conformance/build/kwok; do \
	  go -C $$module mod tidy -diff; done

.PHONY: bench
bench: ## the table of ratios against client-go (5 minutes); BENCH='-json a.json' and the like
	go run -C bench . $(BENCH)

.PHONY: bench-full
bench-full: ## everything, with plots, into docs/benchmarks.md and bin/bench.json (half an hour)
	mkdir -p bin
	go run -C bench . -full -out ../docs -json ../bin/bench.json

.PHONY: cluster
cluster: ## a real control plane with five pretended nodes, in the background
	@$(CLUSTER) up

.PHONY: cluster-status
cluster-status: ## what of it runs
	@$(CLUSTER) status

.PHONY: cluster-stop
cluster-stop: ## end it
	@$(CLUSTER) down

.PHONY: ci
ci: ## what the gate runs
	bash .ci/run
