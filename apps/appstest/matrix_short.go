//go:build !long

package appstest

import "github.com/activepebbles/pebbles/internal/covering"

// Long reports whether slow tests run: those built with tag long.
const Long = false

// transports are those of shapes; other transports have their own tests.
var transports = []string{"mem", "sim"}

func rows(strength int, levels []int, valid func(row []int) bool) [][]int {
	return covering.Array(strength, levels, valid)
}
