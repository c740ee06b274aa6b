//go:build !long

package netiotest

// times multiplies the repetitions of the suite. It is larger with tag long.
const times = 1
