//go:build !long

package termination_test

// long reports whether these tests may take minutes.
const long = false
