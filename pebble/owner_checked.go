//go:build race || pebbles_check

package pebble

// checked tells that each call compares goroutines.
const checked = true
