package delegate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

const table = 1 << 20 // words of a rank

// BenchmarkLocalCall asks this rank.
func BenchmarkLocalCall(b *testing.B) {
	b.ReportAllocs()
	require.NoError(b, pebble.Run(b.Context(), pebble.Config{Ranks: 1}, func(r *pebble.Rank) error {
		s := task.New(r)
		own := make([]uint64, table)
		read := delegate.New(s, "read", distribution.Block(table, 1), itself, func(i uint64) uint64 { return own[i] })
		return s.Run(func() {
			b.ResetTimer()
			for i := range uint64(b.N) {
				read.Call(i & 1023)
			}
		})
	}))
}

// BenchmarkRemoteReads reads b.N words at random of the other of two ranks, on both: by tasks that wait for one word at
// a time, by tasks that wait for several, and by pebbles there and back with as many in flight.
func BenchmarkRemoteReads(b *testing.B) {
	shapes := []appstest.Shape{{Transport: "mem", Procs: 1}, {Transport: "shm", Procs: 2}, {Transport: "tcp", Procs: 2}}
	for _, on := range shapes {
		on.Ranks, on.New, on.Coalesce = 2, route.Direct, 1024
		for _, tasks := range []int{1, 10, 100, 1000, 10_000} {
			b.Run(fmt.Sprintf("%s/tasks=%d", on.Transport, tasks), func(b *testing.B) { byTasks(b, on, tasks, 1) })
		}
		for _, each := range []int{8, 64} {
			b.Run(fmt.Sprintf("%s/tasks=1000/each=%d", on.Transport, each), func(b *testing.B) { byTasks(b, on, 1000, each) })
		}
		for _, chains := range []int{1, 1000, 10_000, 64_000} {
			b.Run(fmt.Sprintf("%s/pebbles=%d", on.Transport, chains), func(b *testing.B) { byPebbles(b, on, chains) })
		}
	}
}

func two(b *testing.B, on appstest.Shape, program func(r *pebble.Rank, owner distribution.Map, own []uint64) error) {
	require.NoError(b, on.Run(b, func(r *pebble.Rank) error {
		return program(r, distribution.Block(2*table, 2), make([]uint64, table))
	}))
	b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}

// elsewhere returns the next word of the other rank.
func elsewhere(r *pebble.Rank, at uint64) uint64 {
	at = at*6364136223846793005 + 1442695040888963407
	return at>>44&(table-1) | uint64(1-r.ID())*table
}

func byTasks(b *testing.B, on appstest.Shape, tasks, each int) {
	two(b, on, func(r *pebble.Rank, owner distribution.Map, own []uint64) error {
		s := task.New(r, task.Workers(tasks+1))
		read := delegate.New(s, "read", owner, itself, func(i uint64) uint64 { return own[i&(table-1)] })
		return s.Run(func() {
			left := b.N
			for n := range uint64(tasks) {
				s.Go(func() {
					at, as := make([]uint64, each), make([]uint64, each)
					for state := n << 32; left > 0; left -= each {
						for i := range at {
							state++
							at[i] = elsewhere(r, state*0x9E3779B97F4A7C15)
						}
						if each == 1 {
							as[0] = read.Call(at[0])
						} else {
							read.CallAll(at, as)
						}
					}
				})
			}
		})
	})
}

func byPebbles(b *testing.B, on appstest.Shape, chains int) {
	type word struct{ Key, From, V uint64 }
	two(b, on, func(r *pebble.Rank, owner distribution.Map, own []uint64) error {
		ranks := distribution.Cyclic(2, 2)
		self, left := uint64(r.ID()), b.N
		var asks, replies *target.Target[word]
		var back, more []word
		state := self
		question := func() word {
			state++
			return word{Key: elsewhere(r, state*0x9E3779B97F4A7C15), From: self}
		}
		asks = target.New(r, "asks", owner, target.Keys(func(ws []word, keys []uint64) {
			for i := range ws {
				keys[i] = ws[i].Key
			}
		}), target.Batch(func(ws []word) {
			back = back[:0]
			for _, w := range ws {
				w.V = own[w.Key&(table-1)]
				back = append(back, w)
			}
			replies.SendAll(back)
		}))
		replies = target.New(r, "replies", ranks, target.Keys(func(ws []word, keys []uint64) {
			for i := range ws {
				keys[i] = ws[i].From
			}
		}), target.Batch(func(ws []word) {
			more = more[:0]
			for range ws {
				if left > 0 {
					left--
					more = append(more, question())
				}
			}
			asks.SendAll(more)
		}))
		return r.Epoch(func() error {
			for range chains {
				if left > 0 {
					left--
					asks.Send(question())
				}
			}
			return nil
		})
	})
}
