package coalesce_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Batches of any length reach their ranks whole and in order, as single pebbles would. Pebbles for the rank itself
// reach the lane Home of the main function, or the queue.
func TestBatchesKeepTheirOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(seeds.Of(t), 0))
	for _, size := range []int{1, 8, 12, 24, 200} {
		for _, factor := range []int{1, 2, 7, 100} {
			for _, queued := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d bytes, factor %d, queued %v", size, factor, queued), func(t *testing.T) {
					const ranks, self = 3, 1
					s := newSink(self, size)
					s.open(ranks, factor)
					from := coalesce.Origin{Queued: queued}
					if !queued {
						from.Home = coalesce.NewLane(unsafe.Pointer(&make([]uint64, 300*size/8+1)[0]), 300)
					}
					want, next := make([][]byte, ranks), byte(0)
					for range 20 {
						n := random.IntN(60)
						batch, to := make([]byte, n*size+1), make([]uint32, n)
						for i := range to {
							to[i] = uint32(random.IntN(ranks))
							next++
							batch[i*size] = next
							want[to[i]] = append(want[to[i]], next)
						}
						s.out.Put(&from, unsafe.Pointer(&batch[0]), to)
						if !queued {
							s.take(self, unsafe.Slice((*byte)(from.Home.Base()), from.Home.Len()*size))
							from.Home.Reset()
						}
					}
					s.out.Flush(coalesce.Explicit, coalesce.AllStages)
					all := s.out.TakeQueue()
					for f := all.Shift(); f != nil; f = all.Shift() {
						s.take(self, f.Payload())
						s.out.Dequeued(f)
					}
					require.Equal(t, want, s.got)
					require.False(t, s.out.Holds())
					require.Zero(t, s.sender.Filling)
					require.Zero(t, s.sender.Queued)
				})
			}
		}
	}
}

// sink is an outbox, and the first bytes of the pebbles that have left it, by rank.
type sink struct {
	sender coalesce.Sender
	out    coalesce.Outbox
	size   int
	got    [][]byte
}

func newSink(rank, size int) *sink {
	s := &sink{size: size}
	pool := netio.NewPool(nil)
	now := time.Duration(0)
	s.sender = coalesce.Sender{
		Options: coalesce.Options{
			Credits: func(int) int { return 1 << 20 }, BufferBudget: 1 << 30, MemoryLimit: 1 << 30,
		},
		Rank: rank, Pool: pool, Failed: new(atomic.Bool),
		Port: &scenario.Port{Lends: pool, Clock: &now, Sent: func(f *netio.Frame) {
			s.take(int(f.To), f.Payload())
			f.Release()
		}},
	}
	return s
}

func (s *sink) open(ranks, factor int) {
	s.got = make([][]byte, ranks)
	s.out.Open(&s.sender, coalesce.Label{}, route.Direct(ranks), coalesce.Shape{
		Unit: s.size, MaxUnits: factor, Factor: factor,
	})
}

func (s *sink) take(rank int, pebbles []byte) {
	for ; len(pebbles) > 0; pebbles = pebbles[s.size:] {
		s.got[rank] = append(s.got[rank], pebbles[0])
	}
}
