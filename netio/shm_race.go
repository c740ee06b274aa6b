//go:build race

package netio

import "sync/atomic"

// The race detector doesn't look at memory that it did not hand out. When the processes of a test's job are one, it must
// be told that what comes out of shared memory came in before.
var shmOrder atomic.Uint64

func shmPublish() { shmOrder.Add(1) }

func shmObserve() { shmOrder.Load() }
