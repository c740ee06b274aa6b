package ofi

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// pinning is a fabric whose memory cannot be paged out.
type pinning struct{ *loop }

func (pinning) Traits() traits {
	t := (&loop{}).Traits()
	t.Pins = true
	return t
}

// TestTooLittleLockedMemory allows less locked memory than one slab takes.
func TestTooLittleLockedMemory(t *testing.T) {
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_MEMLOCK, &before))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: slabBytes / 2, Max: before.Max}))
	defer func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_MEMLOCK, &before)) }()
	_, err := open(&way.Config{Place: netio.PlaceOf(2, 2, 0)}, pinning{(&loopback{}).open()}, Options{All: true})
	require.ErrorContains(t, err, "beside 0 of 262144: no more memory may be pinned: raise --pinned, or `ulimit -l`")
}

// TestFailedOpenLeavesNothing opens ways in vain. Their memory is not mapped any more.
func TestFailedOpenLeavesNothing(t *testing.T) {
	mapped := func() int {
		text, err := os.ReadFile("/proc/self/statm")
		require.NoError(t, err)
		pages := 0
		_, err = fmt.Sscan(string(text), &pages)
		require.NoError(t, err)
		return pages * os.Getpagesize()
	}
	before := mapped()
	for range 400 { // more than a MiB each
		_, err := open(&way.Config{Place: netio.PlaceOf(2, 2, 0)}, (&loopback{refuseAfter: 2}).open(), Options{})
		require.Error(t, err)
	}
	require.Less(t, mapped()-before, 200<<20)
}
