package pebble_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/delegate"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// Two teams work at the same time in the same processes, one with pebbles and containers, the other with tasks and
// arrays and three times as often, and meet in epochs of the whole job. With build tag long it takes minutes, and with
// PEBBLES_SOAK as long as that says.
func TestTwoTeamsTogether(t *testing.T) {
	rounds := 10
	if appstest.Long {
		rounds = 5000
	}
	for _, s := range []appstest.Shape{{Ranks: 4, Transport: "mem"}, {Ranks: 6, Procs: 2, Transport: "shm"},
		{Ranks: 5, Procs: 3, Transport: "tcp"}, {Ranks: 6, Procs: 3, Transport: "sim"}} {
		t.Run(s.Transport, func(t *testing.T) {
			more := appstest.Soak(rounds)
			require.NoError(t, s.Run(t, appstest.Checked(func(r appstest.Rank) { together(r, more) })))
		})
	}
}

// each is the amount that every rank adds per round.
const each = 200

func together(r appstest.Rank, more func(done int) bool) {
	team := appstest.Must(r.Split(r.ID()%2, -r.ID(), []string{"counts", "arrays"}[r.ID()%2]))
	part := appstest.Rank{Rank: team.Rank, Assertions: r.Assertions}
	work := map[bool]func(appstest.Rank) (func(), func() uint64){true: counts, false: arrays}[r.ID()%2 == 0]
	round, sum := work(part)
	often, met, rounds := 1+2*(r.ID()%2), 0, 0
	meet := target.New(r.Rank, "meet", distribution.Ranks(r.Size()), target.Key(func(to uint64) uint64 { return to }),
		target.Batch(func(vs []uint64) { met += len(vs) }))
	for ; appstest.Must(pebble.Broadcast(r.Rank, 0, more(rounds))); rounds++ {
		for range often {
			round()
			r.Equal(part.Size(), appstest.Reduced(part, 1, pebble.Sum))
		}
		r.Do(func() {
			for rank := range r.Size() {
				meet.Send(uint64(rank))
			}
		})
	}
	r.Equal(rounds*r.Size(), met)
	r.EqualValues(rounds*often*each*part.Size(), sum())
	r.NoError(team.Free())
}

// counts adds in a container and in a table.
func counts(r appstest.Rank) (round func(), sum func() uint64) {
	all := container.NewCounter[int](r.Rank, "all")
	var table [7]uint64
	add := target.New(r.Rank, "add", distribution.Cyclic(uint64(len(table)), r.Size()),
		target.Key(func(k uint64) uint64 { return k }), target.Each(func(k uint64) { table[k]++ }))
	return func() {
			r.Do(func() {
				for i := range each {
					add.Send(uint64(i % len(table)))
					all.Add(i%13, 1)
				}
			})
		}, func() (own uint64) {
			for _, n := range table {
				own += n
			}
			r.EqualValues(13, appstest.Must(all.Len()))
			return appstest.Reduced(r, own, pebble.Sum)
		}
}

// arrays adds by tasks, with delegates and in an array.
func arrays(r appstest.Rank) (round func(), sum func() uint64) {
	tasks := task.New(r.Rank)
	a := memory.NewArray[uint64](memory.New(r.Rank), "a", distribution.Block(11, r.Size()))
	var asked uint64
	ask := delegate.New(tasks, "ask", distribution.Ranks(r.Size()), func(to uint64) uint64 { return to },
		func(uint64) uint64 { asked++; return asked })
	return func() {
			r.Do(func() {
				for i := range each {
					tasks.Go(func() {
						memory.Add(a, uint64(i%11), 1)
						ask.Call(uint64(i % r.Size()))
					})
				}
			})
		}, func() (own uint64) {
			for _, n := range a.Local() {
				own += n
			}
			total := appstest.Reduced(r, own, pebble.Sum)
			r.Equal(total, appstest.Reduced(r, asked, pebble.Sum))
			r.NoError(a.Free())
			return total
		}
}
