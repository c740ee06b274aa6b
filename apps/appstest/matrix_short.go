//go:build !long

package appstest

import "github.com/activepebbles/pebbles/internal/covering"

// Long tells whether tests run what takes long by nature: they are built with tag long.
const Long = false

// transports are those of shapes: the others are the subject of their own tests.
var transports = []string{"mem", "sim"}

func rows(strength int, levels []int, valid func(row []int) bool) [][]int {
	return covering.Array(strength, levels, valid)
}
