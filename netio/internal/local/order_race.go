//go:build race

package local

import "sync/atomic"

// order orders accesses for the race detector, which does not track memory outside the Go heap. When one process runs
// all processes of a test's job, each read of shared memory must follow its write.
var order atomic.Uint64

// Published is called before a store to shared memory that another process reads.
func Published() { order.Add(1) }

// Observed is called after a load of such a store.
func Observed() { order.Load() }
