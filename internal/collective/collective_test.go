package collective_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/collective"
)

// post carries messages between machines; its owner decides which rank runs next.
type post struct {
	messages map[[2]int]map[[2]uint64][]byte // from, to; seq, tag
	sent     []int
}

type end struct {
	*post
	rank int
}

func (e end) Send(to int, seq uint64, tag uint32, value []byte) {
	link := [2]int{e.rank, to}
	if e.messages[link] == nil {
		e.messages[link] = map[[2]uint64][]byte{}
	}
	key := [2]uint64{seq, uint64(tag)}
	if _, ok := e.messages[link][key]; ok {
		panic(fmt.Sprintf("rank %d sends tag %d to %d twice", e.rank, tag, to))
	}
	e.messages[link][key] = slices.Clone(value)
	e.sent[e.rank]++
}

func (e end) Take(from int, seq uint64, tag uint32) ([]byte, bool) {
	link, key := [2]int{from, e.rank}, [2]uint64{seq, uint64(tag)}
	v, ok := e.messages[link][key]
	delete(e.messages[link], key)
	return v, ok
}

// play runs one collective on all ranks in a random order and returns the values, and how many messages each rank sent.
func play(t *testing.T, rng *rand.Rand, ranks int, steps func(rank int) []collective.Step, value func(rank int) []byte,
	merge func(into, from []byte)) (values [][]byte, sent []int) {
	t.Helper()
	p := &post{messages: map[[2]int]map[[2]uint64][]byte{}, sent: make([]int, ranks)}
	machines := make([]collective.Machine, ranks)
	for rank := range machines {
		machines[rank].Start(steps(rank), 9, value(rank), merge)
	}
	values = make([][]byte, ranks)
	left := rng.Perm(ranks)
	for round := 0; len(left) > 0; round++ {
		require.Less(t, round, 1000*ranks, "the collective hangs")
		i := rng.IntN(len(left))
		if machines[left[i]].Advance(end{p, left[i]}) {
			values[left[i]] = machines[left[i]].Value
			left = slices.Delete(left, i, i+1)
		}
	}
	for link, m := range p.messages {
		require.Empty(t, m, "messages left from %d to %d", link[0], link[1])
	}
	return values, p.sent
}

func add(into, from []byte) {
	binary.LittleEndian.PutUint64(into, binary.LittleEndian.Uint64(into)+binary.LittleEndian.Uint64(from))
}

func number(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

func TestCollectives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for ranks := 1; ranks <= 70; ranks++ {
		log := bits.Len(uint(ranks - 1))
		sum := uint64(0)
		for r := range ranks {
			sum += uint64(r*r + 1)
		}
		own := func(r int) []byte { return number(uint64(r*r + 1)) }
		values, sent := play(t, rng, ranks, func(r int) []collective.Step { return collective.AllReduce(r, ranks) }, own, add)
		for r := range ranks {
			require.Equal(t, number(sum), values[r])
			require.LessOrEqual(t, sent[r], log+1)
		}
		_, sent = play(t, rng, ranks, func(r int) []collective.Step { return collective.Barrier(r, ranks) },
			func(int) []byte { return nil }, nil)
		for r := range ranks {
			require.Equal(t, log, sent[r])
		}
		root := rng.IntN(ranks)
		values, sent = play(t, rng, ranks, func(r int) []collective.Step { return collective.Broadcast(r, ranks, root) }, own, nil)
		for r := range ranks {
			require.Equal(t, own(root), values[r])
		}
		require.Equal(t, ranks-1, total(sent))
		values, sent = play(t, rng, ranks, func(r int) []collective.Step { return collective.Gather(r, ranks, root) },
			func(r int) []byte { return []byte{byte(r)} }, nil)
		slices.Sort(values[root])
		for r := range ranks {
			require.Equal(t, byte(r), values[root][r])
		}
		require.Len(t, values[root], ranks)
		require.Equal(t, ranks-1, total(sent))
	}
}

func total(ns []int) (sum int) {
	for _, n := range ns {
		sum += n
	}
	return sum
}

// A barrier ends on no rank before all have begun it.
func TestBarrierWaitsForAll(t *testing.T) {
	for ranks := 2; ranks <= 20; ranks++ {
		for missing := range ranks {
			p := &post{messages: map[[2]int]map[[2]uint64][]byte{}, sent: make([]int, ranks)}
			machines := make([]collective.Machine, ranks)
			for rank := range machines {
				machines[rank].Start(collective.Barrier(rank, ranks), 1, nil, nil)
			}
			for range ranks {
				for rank := range machines {
					if rank != missing {
						require.False(t, machines[rank].Advance(end{p, rank}), "rank %d left before %d came", rank, missing)
					}
				}
			}
		}
	}
}
