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
	const rest = ", topology direct, coalescing 1024, reduction none"
	long := strings.Repeat("field uint64; ", 100)
	describe := func(name, schema, settings string) string {
		return `registers target "` + name + `" of ` + schema + ", " + settings + "\n"
	}
	for want, pair := range map[string][2]string{
		`target "a" has coalescing 5 on rank 0, and coalescing 6 on rank 3: all`: {
			describe("a", "uint64", "distribution block, topology direct, coalescing 5, reduction none"),
			describe("a", "uint64", "distribution block, topology direct, coalescing 6, reduction none")},
		`target "a" has reduction none on rank 0, and reduction first with 64 entries on rank 3: all`: {
			describe("a", "uint64", "distribution block"+rest),
			describe("a", "uint64", "distribution block, topology direct, coalescing 1024, reduction first with 64 entries")},
		`target "a" has last int32 on rank 0, and last int64 on rank 3: all`: {
			describe("a", "struct{"+long+"last int32; "+long+"}", "distribution block"+rest),
			describe("a", "struct{"+long+"last int64; "+long+"}", "distribution block"+rest)},
		`target "a" has int64 on rank 0, and uint64 on rank 3: all`: {
			describe("a", "int64", "distribution block"+rest), describe("a", "uint64", "distribution block"+rest)},
		`rank 0 registers target "a" of int64, and rank 3 registers target "b" of int64 in its place: all`: {
			describe("a", "int64", "distribution block"+rest), describe("b", "int64", "distribution block"+rest)},
		`rank 0 registers target "b" of int64, which rank 3 does not: all`: {
			describe("a", "int64", "distribution block"+rest) + describe("b", "int64", "distribution block"+rest),
			describe("a", "int64", "distribution block"+rest)},
		`rank 0 registers target "b" of int64, and rank 3 frees container "b" in its place: all`: {
			describe("b", "int64", "distribution block"+rest), "frees container \"b\"\n"},
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
