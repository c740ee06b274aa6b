// Package seeds gives tests the seeds of their random draws. A test draws the same numbers in every run, so that a
// commit passes or fails on every machine: with seed 1, and in two stages of .ci/run with 2 and 3. .ci/long draws
// others. Tests that draw by package rapid import this package, which fixes the flag -rapid.seed.
package seeds

import (
	"cmp"
	"flag"
	"os"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // its flag is set here
)

// Variable is the environment variable that replaces the seed of every test.
const Variable = "PEBBLES_SEED"

var _ = flag.Set("rapid.seed", cmp.Or(os.Getenv(Variable), "1"))

// Of returns the seed of a test: PEBBLES_SEED, or 1 without it. The test's log shows the seed in a form that can be
// given back.
func Of(tb testing.TB) uint64 {
	tb.Helper()
	seed := uint64(1)
	if text := os.Getenv(Variable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			tb.Fatalf("%s=%s: give a number from 0 to 2^64-1", Variable, text)
		}
	}
	tb.Logf("%s=%d", Variable, seed)
	return seed
}
