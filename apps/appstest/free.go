package appstest

import (
	"math"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// freedOften is the number of times that an object is made and freed; with build tag long it is 10,000.
var freedOften = map[bool]int{false: 200, true: 10_000}[Long]

// Variations by timing: buffers grow when ranks meet, and a transport's goroutines start and end.
const (
	oddBytes      = 32 << 10
	oddGoroutines = 8
)

// held is the resources of a rank, and on rank 0 those of its process.
type held struct {
	heap, caches              int64
	goroutines, files, number int // number is that of the next target
}

// Freed requires that freed objects leave no memory, goroutines, descriptors or numbers of targets behind. It runs a
// job within this process. Each rank calls with, which returns a function that makes an object, uses it, and frees it.
func Freed(t *testing.T, with func(r *pebble.Rank) (once func() error)) {
	t.Helper()
	freed(t, with, Shape{Ranks: 3, Procs: 1, Transport: "mem"})
}

// FreedEverywhere is Freed for objects that are parts of other processes, too: it also runs jobs over shm and tcp.
func FreedEverywhere(t *testing.T, with func(r *pebble.Rank) (once func() error)) {
	t.Helper()
	freed(t, with, Shape{Ranks: 3, Procs: 1, Transport: "mem"}, Shape{Ranks: 3, Procs: 2, Transport: "shm"},
		Shape{Ranks: 3, Procs: 2, Transport: "tcp"})
}

func freed(t *testing.T, with func(r *pebble.Rank) (once func() error), shapes ...Shape) {
	t.Helper()
	for _, s := range shapes {
		s.New, s.Unwatched = route.Direct, true
		t.Run(s.Transport, func(t *testing.T) {
			const looks = 5
			var seen [looks][]held
			for i := range seen {
				seen[i] = make([]held, s.Ranks)
			}
			require.NoError(t, s.Run(t, func(r *pebble.Rank) (err error) {
				once := with(r)
				for i := 0; i < looks && err == nil; i++ {
					seen[i][r.ID()], err = after(r, freedOften/looks, once)
				}
				return err
			}))
			// At least, from one look to the next: a leak grows each time. What an earlier test has left to the
			// collector goes once.
			grown, opened := int64(math.MaxInt64), math.MaxInt
			before, now := seen[0], seen[looks-1]
			for i := 1; i < looks; i++ {
				grown = min(grown, seen[i][0].heap-seen[i-1][0].heap)
				opened = min(opened, seen[i][0].files-seen[i-1][0].files)
			}
			require.LessOrEqual(t, grown, int64(oddBytes))
			require.LessOrEqual(t, opened, 0, "descriptors")
			require.LessOrEqual(t, now[0].goroutines, before[0].goroutines+oddGoroutines)
			for rank := range now {
				require.Equal(t, before[rank].caches, now[rank].caches)
				require.Equal(t, before[rank].number, now[rank].number)
			}
		})
	}
}

// after repeats once, and returns the rank's resources afterwards.
func after(r *pebble.Rank, times int, once func() error) (h held, err error) {
	for range times {
		if err := once(); err != nil {
			return h, err
		}
	}
	if err := r.Barrier(); err != nil {
		return h, err
	}
	probe := target.New(r, "probe", distribution.Ranks(r.Size()), target.Key(func(to uint32) uint64 { return uint64(to) }),
		target.Each(func(uint32) {}))
	h.number = int(probe.Inside(frame.Access{}).Index)
	probe.Free()
	h.caches = r.Memory().Caches
	if r.ID() == 0 { // for all ranks of the test, which wait in the barrier
		h.goroutines = runtime.NumGoroutine()
		files, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			return h, err
		}
		h.files = len(files)
		var m runtime.MemStats
		for range 2 { // the second frees objects with a finalizer
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		h.heap = int64(m.HeapAlloc)
	}
	return h, r.Barrier()
}
