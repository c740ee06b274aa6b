//go:build long

package netiotest

const times = 5
