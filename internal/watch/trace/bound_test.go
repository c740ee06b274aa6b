package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBound requires that a file keeps its limit, drops frequent kinds first, and counts the missing events.
func TestBound(t *testing.T) {
	for _, bound := range []int64{1, 100_000, 1 << 20} {
		c := configOf(0, 1, 3)
		c.Bytes = bound
		c.Names = func(n uint32) string { return fmt.Sprint(n, strings.Repeat("x", 500)) }
		f := create(t, c)
		told := map[string]uint64{}
		var noFrequent, none time.Duration // times at which these begin
		for i := range time.Duration(20_000) {
			for rank := range 3 {
				for _, kind := range []Kind{Handler, Wait} {
					f.Rank(rank).Slice(kind, Name(i/100), 2*i, 2*i+1, uint64(i), 2)
					told[kind.String()]++
				}
			}
			f.Counter(0, "bytes held", i, 1)
			if i%10 != 0 {
				continue
			}
			require.NoError(t, f.Drain())
			if noFrequent == 0 && !f.roomForEvent(true) {
				noFrequent = i
			}
			if none == 0 && !f.roomForEvent(false) {
				none = i
			}
		}
		require.NoError(t, f.Close())
		trace := read(t, f.path)
		bound = max(bound, bytesLeast)
		require.LessOrEqual(t, int64(len(trace)), bound)
		require.Greater(t, int64(len(trace)), bound*3/4)
		require.Greater(t, none, noFrequent)

		p := view(t, trace)
		kept, last := map[string]uint64{}, map[string]uint64{}
		for _, e := range p.events {
			kept[e.kind]++
			last[e.kind] = max(last[e.kind], e.end-zero)
		}
		require.Greater(t, kept["wait"], kept["handler"])
		require.Greater(t, last["wait"], last["handler"])
		missing := p.said[len(p.said)-1].numbers["file was full"]
		require.Equal(t, told["wait"]+told["handler"]-kept["wait"]-kept["handler"], missing)
		require.Greater(t, len(p.said), 2, "it is said before Close, too")

		sum := summed(t, f.path)
		require.Equal(t, missing, sum.LeftOut)
		require.Contains(t, sum.String(), fmt.Sprint(missing, " events were left out, since a file was full"))
	}
}

func TestSizeOfEvents(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	const events = 1000
	for i := range time.Duration(events) {
		f.Rank(0).Slice(Handler, Name(i%10), i*time.Microsecond, (i+1)*time.Microsecond, 1000, 12)
	}
	require.NoError(t, f.Close())
	require.Less(t, len(read(t, f.path))/events, 90)
}
