//go:build !race && !pebbles_check

package engine

// Checked reports whether each call compares goroutines.
const Checked = false
