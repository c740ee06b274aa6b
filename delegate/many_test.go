//go:build !race && !pebbles_check

package delegate_test

const manyTasks = 50_000 // of a rank
