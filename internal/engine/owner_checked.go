//go:build race || pebbles_check

package engine

// Checked tells that each call compares goroutines.
const Checked = true
