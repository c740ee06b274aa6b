package coalesce

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/route"
)

// still is an engine that has nothing to do.
type still struct{}

func (still) Leave()                          {}
func (still) Progress() bool                  { return false }
func (still) Turn() bool                      { return false }
func (still) Rest(int)                        {}
func (still) Flush(Reason, int) (_, _ bool)   { return false, false }
func (still) Exceeded(target string, _ int64) { panic(target + " needs too much memory") }

// records is a target of records that holds none back.
type records struct{}

func (records) Blanks(lanes int) []Lane { return make([]Lane, lanes+1) }
func (records) Release()                {}
func (records) HandleLocal()            {}

// A rank whose pebbles another rank of its process has taken out of their shared buffer, and not yet handed over, finds the buffer
// empty. Its frames are not back before that one is: when the other has handed it over at once, and when the frame had to wait for credit.
func TestTakenFramesAreNotBack(t *testing.T) {
	for _, waits := range []bool{false, true} {
		ranks := mem.New(2)
		process := &Process{Ranks: 2}
		open := func() *Outbox {
			port := ranks.Port(0)
			s := &Sender{
				Options: Options{
					Credits: func(int) int { return 1 }, Shared: true, BufferBudget: 1 << 20, MemoryLimit: 1 << 30,
				},
				Place: netio.Place{Ranks: 2, Processes: 2, Last: 1}, Port: port, Pool: port.Pool(), Process: process, Engine: still{},
				Failed: new(atomic.Bool),
			}
			o := new(Outbox)
			o.Open(s, Label{Name: "all"}, records{}, route.Direct(2), Shape{Unit: 1, MaxUnits: 1024, Factor: 1024, Records: true})
			return o
		}
		mine, other := open(), open() // as far as shared buffers go, it does not matter that both send for one rank
		const l = 1
		s := mine.shares[l]
		require.Same(t, s, other.shares[l])
		put := func() {
			mine.Supply(l, 1, false)
			require.False(t, mine.AddRecord(l, []byte{1}))
			mine.Filled = true
		}
		handled := func() {
			ranks.Port(1).Recv().Release()
			mine.sender.Pool.Lent()
		}
		if waits {
			put()
			mine.Flush(Explicit, AllStages)
			require.EqualValues(t, 1, s.underWay.UnderWay())
		}
		put()
		mine.pour(l, s)
		s.mu.Lock()
		f := other.takeShared(l, s, Full)
		s.mu.Unlock()
		require.False(t, mine.flushShared(l, s, Idle), "nothing is left here")
		if waits {
			other.leave(l, f)
			require.True(t, other.waits(l))
			handled()
			require.Zero(t, s.underWay.UnderWay())
		}
		require.False(t, mine.Back(), "the frame is with another rank")
		if waits {
			other.Pump()
		} else {
			other.leave(l, f)
		}
		require.False(t, mine.Back(), "it is under way")
		handled()
		require.True(t, mine.Back())
		require.NoError(t, ranks.Close())
	}
}
