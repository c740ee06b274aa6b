package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/termination"
)

// An error about different registrations shows the parts that differ, and no more.
func TestDifferencesAreShown(t *testing.T) {
	const block = "distribution block, topology direct, coalescing 1024, reduction none"
	long := strings.Repeat("field uint64; ", 100)
	describe := func(name, schema, settings string) string {
		return `registers target "` + name + `" of ` + schema + ", " + settings + "\n"
	}
	a, b := describe("a", "int64", block), describe("b", "int64", block)
	for want, pair := range map[string][2]string{
		`target "a" has coalescing 5 on rank 0, and coalescing 6 on rank 3: all`: {
			strings.Replace(a, "1024", "5", 1), strings.Replace(a, "1024", "6", 1)},
		`target "a" has reduction none on rank 0, and reduction first with 64 entries on rank 3: all`: {
			a, strings.Replace(a, "none", "first with 64 entries", 1)},
		`target "a" has last int32 on rank 0, and last int64 on rank 3: all`: {
			describe("a", "struct{"+long+"last int32; "+long+"}", block),
			describe("a", "struct{"+long+"last int64; "+long+"}", block)},
		`target "a" has int64 on rank 0, and uint64 on rank 3: all`: {
			a, describe("a", "uint64", block)},
		`rank 0 registers target "a" of int64, and rank 3 registers target "b" of int64 in its place: all`: {a, b},
		`rank 0 registers target "b" of int64, which rank 3 does not: all`:                                 {a + b, a},
		`rank 0 registers target "b" of int64, and rank 3 frees container "b" in its place: all`: {
			b, "frees container \"b\"\n"},
		`rank 0 frees target "a\"b", and rank 3 frees target "a" in its place: all`: {
			"frees target \"a\\\"b\"\n", "frees target \"a\"\n"},
	} {
		name, got := firstDifference(0, []byte(pair[0]), 3, []byte(pair[1]))
		require.True(t, strings.HasPrefix(got, want), got)
		require.Less(t, len(got), 400)
		require.Contains(t, want, fmt.Sprintf("target %q", name))
		_, got = firstDifference(0, []byte(pair[0]), 3, []byte(pair[0]))
		require.Empty(t, got)
	}
}

// A rank may register and free any number of objects without an epoch, and another one still differs in one of them.
func TestOldNewsAreHashed(t *testing.T) {
	var ranks [3]targets
	for i := range 10_000 {
		for rank := range ranks {
			object := fmt.Sprintf("frees container %q", fmt.Sprint(i%7))
			if rank == 2 && i == 10 {
				object = `frees container "another"`
			}
			ranks[rank].changed(object)
			require.LessOrEqual(t, len(ranks[rank].news), newsMax+100)
		}
	}
	require.Equal(t, ranks[0].news, ranks[1].news)
	name, why := firstDifference(0, ranks[0].news, 2, ranks[2].news)
	err := &RegistrationError{2, name, why}
	require.Regexp(t, `^rank 2: register targets: rank 0 registers and frees \d+ objects, of hash \w+, `+
		`and rank 2 registers and frees \d+ objects, of hash \w+ in its place: all ranks must`, err.Error())
}

// The variant that ranks exchange identifies each way to end an epoch.
func TestEndingsAreTold(t *testing.T) {
	require.Equal(t, "skr without a declared depth", ending(variant("skr", 0)))
	require.Equal(t, "a detector of its own", ending(variant("mine", 3)))
	told, variants := map[string]bool{}, map[uint32]bool{}
	for _, name := range termination.Names() {
		for depth := range depthMax + 1 {
			variants[variant(name, depth)] = true
		}
		for _, depth := range []int{0, 1, depthMax} {
			told[ending(variant(name, depth))] = true
		}
	}
	require.Len(t, variants, len(termination.Names())*(depthMax+1))
	require.Len(t, told, len(termination.Names())*3)
}
