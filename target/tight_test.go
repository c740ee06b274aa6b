package target_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// With room for a single frame in flight, and a single frame of credit on each link, and every pebble due at once,
// sends wait, flush and handle inside each other all the time; nothing may be lost, and nobody may hang.
func TestTightBuffers(t *testing.T) {
	const keys, sends = 64, 900
	for _, ranks := range []int{2, 4, 7} {
		for _, topology := range []route.Constructor{route.Direct, route.Hypercube} {
			for _, budget := range []int64{1, 4096} {
				for _, depth := range []int{0, 2} {
					for _, due := range []time.Duration{1, -1} {
						for _, cache := range []int{0, 16} {
							for _, coder := range []bool{false, true} {
								name := fmt.Sprintf("%d ranks, %s, budget %d, depth %d, due %d, cache %d, coded %v",
									ranks, topology(ranks).Name(), budget, depth, due, cache, coder)
								t.Run(name, func(t *testing.T) {
									got := make([]uint64, keys)
									c := pebble.Config{
										Ranks: ranks, Topology: topology, BufferBudget: budget, Credits: 1, Due: due, Cache: cache, Coalesce: 16,
									}
									require.NoError(t, run(t, c, func(r *pebble.Rank) error {
										return tight(r, got,
											sends, coder, depth)
									}))
									sum := uint64(0)
									for _, n := range got {
										sum += n
									}
									require.EqualValues(t, ranks*sends*2, sum)
								})
							}
						}
					}
				}
			}
		}
	}
}

// amounts is a codec for amounts.
type amounts struct{}

func (amounts) Append(dst []byte, a amount) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(dst, a.key), a.n), nil
}

func (amounts) Decode(src []byte) (a amount, err error) {
	return amount{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}, nil
}

// tight sends pebbles that each cause another one, of a target with a reduction.
func tight(r *pebble.Rank, got []uint64, sends int, coder bool, depth int) error {
	owner := distribution.Cyclic(uint64(len(got)), r.Size())
	options := []target.Option{target.Reduce(reduce.Combine(func(a, b amount) amount {
		return amount{a.key,
			a.n + b.n}
	}))}
	if coder {
		options = append(options, target.Coded[amount](amounts{}))
	}
	key := target.Key(func(a amount) uint64 { return a.key })
	second := target.New(r, "second", owner, key, target.Each(func(a amount) { got[a.key] += a.n }), options...)
	first := target.New(r, "first", owner, key, target.Each(func(a amount) {
		got[a.key] += a.n
		second.Send(amount{(a.key*5 + 3) % uint64(len(got)), a.n})
	}), options...)
	var declared []pebble.EpochOption
	if depth > 0 {
		declared = append(declared, pebble.Depth(depth))
	}
	return r.Epoch(func() error {
		batch := make([]amount, 300)
		for i := 0; i < sends; i += len(batch) {
			for j := range batch {
				batch[j] = amount{uint64(i*7+j*j+r.ID()) % uint64(len(got)), 1}
			}
			first.SendAll(batch)
		}
		return nil
	}, declared...)
}
