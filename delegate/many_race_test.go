//go:build race || pebbles_check

package delegate_test

const manyTasks = 2000 // of a rank
