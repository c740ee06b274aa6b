package engine

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// A rank can be made alone, and driven step by step: nothing else runs. Progress receives the frames of its port.
func TestRankAlone(t *testing.T) {
	var sent []netio.Header
	w := &world{log: &scenario.Log{}, place: netio.PlaceOf(2, 1, 0)}
	for id := range 2 {
		m := &member{world: w, id: id, inboxes: map[string]*inbox{}}
		m.port = scenario.Port{Clock: &w.now, Lends: netio.NewPool(nil), Sent: func(f *netio.Frame) {
			sent = append(sent, f.Header)
			f.Release()
		}}
		w.ranks = append(w.ranks, m)
	}
	m := w.ranks[0]
	m.rank = newRank(newJob(Config{Options: options(1), Transport: w}), 0, &m.port)
	m.rank.owner.begin()
	m.register("a", route.Direct(2), 2, Description{})
	a := m.inboxes["a"]
	arrives := func(epoch uint32, p pebble) {
		f := netio.NewPool(nil).Get(8)
		netio.Values[pebble](f, 1)[0] = p
		f.Kind, f.From, f.Epoch, f.Count, f.Bytes, f.Check = netio.Data, 1, epoch, 1, 8, a.Fingerprint
		m.port.Arrived.Push(f)
	}
	require.False(t, m.rank.Loop.Progress(), "nothing has come")
	arrives(1, pebble{to: 0})
	require.True(t, m.rank.Loop.Progress())
	require.Equal(t, 1, m.rank.Loop.arrivals.futureEpoch.Len(), "epoch 1 has not begun")
	require.Zero(t, m.rank.Loop.arrivals.processed)

	m.rank.Detection.detector = never{}
	m.rank.open(Plan{})
	require.True(t, m.rank.Loop.Progress())
	require.EqualValues(t, 1, m.rank.Loop.arrivals.processed)
	arrives(1, pebble{to: 0, chain: 1, number: 5})
	require.True(t, m.rank.Loop.Progress())
	require.Empty(t, sent, "the frame for rank 1 has room")
	moved, left := m.rank.Targets.Flush(0, m.rank.Detection.stage())
	require.True(t, moved)
	require.False(t, left)
	require.Len(t, sent, 1)
	require.Equal(t, netio.Header{Kind: netio.Data, Epoch: 1, To: 1, Count: 1, Bytes: 8, Check: a.Fingerprint,
		Flags: sent[0].Flags}, sent[0])
	require.Equal(t, m.rank.Sender.Created, uint64(1))
}

// A rank with a target over a hypercube costs a word for each rank of the job, in the plan's table and while it is
// filled, besides its lanes, whose number grows by one with each doubling.
func TestRanksElsewhereCostAWord(t *testing.T) {
	const few, many, laneBytes = 64, 4096, 4096
	alone := func(ranks int) func() {
		return func() {
			w := &world{log: &scenario.Log{}, place: netio.PlaceOf(ranks, ranks, 0)}
			m := &member{world: w, inboxes: map[string]*inbox{}}
			m.port = scenario.Port{Clock: &w.now, Lends: netio.NewPool(nil)}
			w.ranks = []*member{m}
			m.rank = newRank(newJob(Config{Options: options(1), Transport: w}), 0, &m.port)
			m.rank.owner.begin()
			m.register("a", route.Hypercube(ranks), 2, Description{})
		}
	}
	least, most := allocated(alone(few)), allocated(alone(many))
	require.LessOrEqual(t, most-least, uint64((many-few)*8+6*laneBytes), "bytes, %d and %d", least, most)
}

// allocated is the least number of bytes that some calls have allocated: others may allocate meanwhile.
func allocated(f func()) (least uint64) {
	var before, after runtime.MemStats
	for i := range 5 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; i == 0 || n < least {
			least = n
		}
	}
	return least
}

// never is a detector that never ends an epoch.
type never struct{ termination.Detector }

func (never) Begin() {}
