# On a fresh machine two commands are enough: `make run` and `make test`. Both start with the set-up script, which is
# quick and silent if nothing is missing.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
# The lint, the builds and the tests share compiled packages, also between checkouts in different folders.
export GOFLAGS := -trimpath $(GOFLAGS)

BIN          := build/bin
TAGS         := sqlite_fts5
DESKTOP_TAGS := desktop production webkit2_41 $(TAGS)
# A failed test runs once more and is reported either way; a data race does not get a second run.
RERUN        := --rerun-fails=1 --rerun-fails-max-failures=3 --rerun-fails-abort-on-data-race
# Goroutines share state in these packages, so make test runs them under the race detector; make e2e does so for all.
RACE         := ./backend/agent/loop/... ./backend/api/ws/... ./backend/pipeline/... ./backend/store/... ./panels/...
# Packages with minutes of tests start first, so that no core waits for the last of them.
SLOW         := ./backend/browser ./app ./backend/sandbox/confine
# Tests that have a long form, which SEXTANT_WHOLE=1 turns on.
LONG         := KeepsChanging|EveryZoom|FramesInFrames|HardToHit|ProgramIsKilled|EveryBranch|SmallTasks|ProbesDoNotEscape|SecretsAppear|GarbledAtAnyByte|CutAtAnyByte
# without PACKAGES: all other packages of this module.
without       = $(filter-out $(shell go list -tags "$(TAGS)" $(1)),$(shell go list -tags "$(TAGS)" ./...))
VERSION      := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: help setup build build-headless ui run dev quick test test-go test-ui e2e e2e-ui e2e-whole e2e-clients e2e-servers window-test conformance isolation isolation-window check generate bench bench-table bench-window bench-tasks bench-recipes redteam questions kills release clean

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

setup: ## Install what is missing (Debian, Ubuntu); say what to install elsewhere
	@build/setup.sh

ui: setup
	@build/ui.sh

build: ui ## Build build/bin/sextant (with the window if GTK and WebKit are installed)
	@mkdir -p $(BIN)
	@if build/setup.sh --has-desktop; then \
	  echo "go build: window and server"; \
	  go build -ldflags "-X sextant/app.Version=$(VERSION)" -tags "$(DESKTOP_TAGS)" -o $(BIN)/sextant . ; \
	else \
	  echo "go build: no GTK and WebKit development files, so without the window (serve, mcp and run work)"; \
	  go build -ldflags "-X sextant/app.Version=$(VERSION)" -tags "$(TAGS)" -o $(BIN)/sextant . ; \
	fi

build-headless: ui ## Build build/bin/sextant-headless: no GTK, no window
	@mkdir -p $(BIN)
	go build -ldflags "-X sextant/app.Version=$(VERSION)" -tags "$(TAGS)" -o $(BIN)/sextant-headless .

run: build ## Set up, build and open the window (or serve it if there is no display)
	@exec $(BIN)/sextant

dev: setup ## Run Vite with hot reload, and the server from source
	@build/dev.sh

quick: ## Vet, types, and the tests of what changed and what imports it (BASE=REV compares with REV)
	@build/quick.sh

test: build test-go test-ui e2e-ui window-test isolation-window ## Everything CI runs after make check
	@echo "make test: all parts passed"

test-go: ui
	@go -C build/tools build -o $(CURDIR)/$(BIN)/gotestsum gotest.tools/gotestsum
	@echo "== Go tests"
	@$(BIN)/gotestsum --format standard-quiet $(RERUN) --packages "$(SLOW) $(call without,$(RACE) $(SLOW))" -- -vet=off -ldflags="-s -w" -tags "$(TAGS)" -p 2 -timeout 20m
	@echo "== Go tests of packages whose goroutines share state, with the race detector"
	@$(BIN)/gotestsum --format standard-quiet $(RERUN) --packages "$(RACE)" -- -race -vet=off -ldflags="-s -w" -tags "$(TAGS)" -p 2 -timeout 20m
	@echo "go test: passed"

test-ui: setup
	@echo "== Frontend unit tests"
	@cd frontend && npx --no-install vitest run </dev/null

e2e: e2e-ui conformance e2e-clients e2e-servers e2e-whole ## End-to-end tests in Chromium, the conformance suite and other programs over MCP, and the long tests in full

e2e-ui: build
	@go build -tags "$(TAGS)" -o $(BIN)/datagen ./build/datagen
	@echo "== End-to-end tests in Chromium"
	@cd frontend && CI="$${CI:-}" SEXTANT_BIN="$(CURDIR)/$(BIN)/sextant" npx --no-install playwright test </dev/null

e2e-clients: build
	@echo "== The MCP inspector and the TypeScript SDK drive sextant mcp"
	@suite=$$(build/setup.sh --conformance) && "$${suite%% *}" build/conformance/drive.mjs $(BIN)/sextant

e2e-servers: build ## The reference MCP servers from npm, used and killed through Sextant (1 minute)
	@echo "== The reference MCP servers"
	@build/setup.sh --servers && node build/servers/drive.mjs $(BIN)/sextant

e2e-whole: ui
	@echo "== Go tests, all under the race detector"
	@go test -race -vet=off -tags "$(TAGS)" -timeout 60m ./...
	@echo "== The long tests in their long form"
	@SEXTANT_WHOLE=1 go test -tags "$(TAGS)" -p 1 -count=1 -timeout 30m -run "$(LONG)" ./backend/browser/... ./backend/agent/... ./backend/sandbox/confine ./app

redteam: ui ## A model that obeys every injected instruction: harm done, questions asked (about 10 minutes)
	@echo "== A scripted model that obeys every instruction it reads"
	@SEXTANT_WHOLE=1 go test -tags "$(TAGS)" -count=1 -timeout 30m -v -run TestObedientModel ./build/redteam

questions: ui ## Run 550 commands in the mode Ask: which are asked about, and whether the questions are true (5 minutes)
	@echo "== Questions about commands"
	@SEXTANT_WHOLE=1 go test -tags "$(TAGS)" -count=1 -timeout 20m -v -run TestQuestions ./build/questions

kills: ui ## Kill the program and MCP servers 1,000 times each, and 300 recipes: count what is lost or done twice (35 minutes)
	@echo "== A thousand kills"
	@SEXTANT_WHOLE=1 go test -tags "$(TAGS)" -count=1 -timeout 30m -v -run TestKilledProgram ./build/kills
	@echo "== Three hundred kills while a recipe runs"
	@SEXTANT_WHOLE=1 go test -tags "$(TAGS)" -count=1 -timeout 60m -v -run TestKilledRecipe ./build/kills
	@echo "== A thousand kills of MCP servers, at random bytes of their output"
	@SEXTANT_WHOLE=1 go test -tags "$(TAGS)" -count=1 -timeout 20m -v -run TestServerKilledAtAnyByte ./backend/mcp/...

window-test: build ## One real window under Xvfb
	@echo "== One real window under Xvfb"
	@build/window-test.sh

conformance: setup ## The conformance suite of MCP against our client and our server, both revisions (40 seconds)
	@build/conformance.sh

isolation: build isolation-window ## Hostile panels in Chromium and in the real window
	@cd frontend && SEXTANT_BIN="$(CURDIR)/$(BIN)/sextant" npx --no-install playwright test isolation.spec </dev/null

isolation-window: build
	@echo "== Hostile panels in the real window under Xvfb"
	@build/isolation-test.sh

check: setup ## Format, lint, types, layers, generated files
	@build/check.sh

generate: setup ## Regenerate the files made from Go: API description, types, configuration
	go run -tags "$(TAGS)" ./build/gen
	cd frontend && npx --no-install openapi-typescript openapi.json -o src/shared/api/schema.gen.ts

bench: build-headless bench-table bench-window ## Go benchmarks, and the comparison with other programs (docs/bench.md)
	go test -tags "$(TAGS)" -run '^$$' -bench . -benchmem -timeout 20m ./...

bench-table: build-headless ## Only the comparison with three other programs (about 10 minutes)
	npm ci --prefix build/bench --no-audit --no-fund
	go run ./build/bench -sextant $(BIN)/sextant-headless -live -json docs/bench.json -markdown docs/bench.md

bench-window: build ## In the window: long conversations, and the page from press to picture (15 minutes)
	@cd frontend && SEXTANT_BIN="$(CURDIR)/$(BIN)/sextant" npx --no-install playwright test -c playwright.bench.config.ts </dev/null

bench-tasks: ui ## Tasks on local sites by a scripted solver, or by SEXTANT_BENCH_MODEL (docs/tasks.md)
	@go run -tags "$(TAGS)" ./build/tasks $(ARGS)

bench-recipes: ui ## Recipes on 10,500 changed pages, and every task run again without a model (docs/recipes.md; 40 minutes)
	@SEXTANT_WHOLE=1 go test -tags "$(TAGS)" -count=1 -timeout 2h -v -run TestChangedPages ./build/recipebench
	@go run -tags "$(TAGS)" ./build/tasks -replay -playwright -hand $(ARGS)

release: ui ## Packages in build/bin/release: .deb, .rpm, .tar.gz, the program without a window, SPDX list, SHA-256 sums
	@VERSION="$(VERSION)" TAGS="$(TAGS)" DESKTOP_TAGS="$(DESKTOP_TAGS)" build/release/release.sh

clean: ## Remove build/bin
	rm -rf $(BIN)
