//go:build !long

package netiotest

// times is how often more the suite does what it does again and again: with tag long, some times more.
const times = 1
