//go:build !race && !pebbles_check

package delegate_test

import ()

const manyTasks = 50_000 // of a rank
