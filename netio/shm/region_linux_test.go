package shm

import (
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/netio"
)

// A region's rings and first frames are in memory before the job starts. On a host of many processes nothing is.
func TestFirstFramesAreInMemory(t *testing.T) {
	for processes, ready := range map[int]int{2: readyRoom, 3: readyRoom / 2, 2000: 0} {
		region, file, err := newRegion(netio.PlaceOf(processes, processes, 0))
		require.NoError(t, err)
		require.NoError(t, file.Close())
		page := os.Getpagesize()
		held := make([]byte, 2*readyRoom/page)
		_, _, failed := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&region.mapped[0])), 2*readyRoom,
			uintptr(unsafe.Pointer(&held[0])))
		require.Zero(t, failed)
		for i, in := range held {
			require.Equal(t, i*page < ready, in&1 == 1, "page %d with %d processes", i, processes)
		}
	}
}
