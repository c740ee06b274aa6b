//go:build long

package container_test

// operations is how many random ones are done on each container.
const operations = 300_000
