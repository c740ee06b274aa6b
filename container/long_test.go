//go:build long

package container_test

// operations is the number of random operations on each container.
const operations = 300_000
