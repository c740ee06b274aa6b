package apps

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/pebble"
)

// MustFit refuses data of so many bytes a rank that this process has no memory for, before the system ends the process
// instead. what names the data, and advice says what to ask for less of. All ranks call it, before any of them
// allocates.
func MustFit(r *pebble.Rank, what string, bytesPerRank uint64, advice string) error {
	p := r.Place()
	need, have := bytesPerRank*uint64(p.Last-p.First), uint64(cpu.MemoryAvailable())
	if need > have {
		return fmt.Errorf("%s of process %d need %d MiB, %d MiB are free: %s", what, p.Process, need>>20, have>>20, advice)
	}
	return r.Barrier()
}
