//go:build race || pebbles_check

package delegate_test

import ()

const manyTasks = 2000 // of a rank
