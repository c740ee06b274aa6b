# What a change goes through; CONTRIBUTING.md says when. Measurements are in lab/Makefile.
.PHONY: check test ci long bench

check: # format, vet, and the quick tests: under a minute
	@.ci/packages check
	@test -z "$$(gofmt -l .)" || { gofmt -l . && echo 'run gofmt -w on these' && false; }
	go vet ./...
	@programs=$$(mktemp -d) && trap 'rm -rf "$$programs"' EXIT && \
		go build -o "$$programs/" ./cmd/pebbles ./cmd/pebbles-lab ./examples/wordcount && \
		PEBBLES_PROGRAMS=$$programs go test -short $$(.ci/packages quick)

test: # all tests, plainly
	go test ./...

ci: # all that must hold; ONLY=REGEX runs the stages that match
	.ci/run $(ONLY)

long: # what is long by nature; ONLY=REGEX as above
	.ci/long $(ONLY)

bench: # the applications beside what the machine can do at most
	go run ./cmd/pebbles-lab bench
