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

// post carries messages between machines; its owner chooses the next rank to run. It keeps a clock for each rank: a
// send takes the next tick, the earliest arrival of its message, and a rank receives one message per tick. So the last
// tick is the number of rounds if ranks send and receive one message per round, for any order of execution.
type post struct {
	messages map[[2]int]map[[2]uint64]letter // from, to; seq, tag
	sent     []int
	bytes    []int
	clock    []int
	received []int // tick of the last arrival
}

type letter struct {
	value []byte
	tick  int
}

func newPost(ranks int) *post {
	counts := func() []int { return make([]int, ranks) }
	return &post{map[[2]int]map[[2]uint64]letter{}, counts(), counts(), counts(), counts()}
}

type end struct {
	*post
	rank int
}

func (e end) Send(to int, seq uint64, tag uint32, value []byte) {
	link := [2]int{e.rank, to}
	if e.messages[link] == nil {
		e.messages[link] = map[[2]uint64]letter{}
	}
	key := [2]uint64{seq, uint64(tag)}
	if _, ok := e.messages[link][key]; ok || bits.OnesCount(uint(to^e.rank)) != 1 {
		panic(fmt.Sprintf("rank %d sends tag %d to %d twice, or not to a neighbour in a hypercube", e.rank, tag, to))
	}
	e.clock[e.rank]++
	e.messages[link][key] = letter{slices.Clone(value), e.clock[e.rank]}
	e.sent[e.rank]++
	e.bytes[e.rank] += len(value)
}

func (e end) Take(from int, seq uint64, tag uint32) ([]byte, bool) {
	link, key := [2]int{from, e.rank}, [2]uint64{seq, uint64(tag)}
	l, ok := e.messages[link][key]
	delete(e.messages[link], key)
	if ok {
		e.received[e.rank] = max(e.received[e.rank]+1, l.tick)
		e.clock[e.rank] = max(e.clock[e.rank], e.received[e.rank])
	}
	return l.value, ok
}

// result is the result of one run of a collective, by rank.
type result struct {
	values [][]byte
	sent   []int
	bytes  []int
	rounds int
}

// play runs one collective on all ranks in a random order.
func play(t *testing.T, rng *rand.Rand, ranks int, steps func(rank int) []collective.Step, value func(rank int) []byte,
	merge func(into, from []byte)) result {
	t.Helper()
	return playAll(t, rng, ranks, func(m *collective.Machine, rank int) { m.Start(steps(rank), 9, value(rank), merge) })
}

func playAll(t *testing.T, rng *rand.Rand, ranks int, start func(m *collective.Machine, rank int)) result {
	t.Helper()
	p, machines, values := newPost(ranks), make([]collective.Machine, ranks), make([][]byte, ranks)
	for rank := range machines {
		start(&machines[rank], rank)
	}
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
	return result{values, p.sent, p.bytes, slices.Max(p.clock)}
}

// add folds runs of numbers.
func add(into, from []byte) {
	if len(into) != len(from) {
		panic(fmt.Sprintf("%d bytes meet %d", len(into), len(from)))
	}
	for i := 0; i < len(into); i += 8 {
		sum := binary.LittleEndian.Uint64(into[i:]) + binary.LittleEndian.Uint64(from[i:])
		binary.LittleEndian.PutUint64(into[i:], sum)
	}
}

func numbers(ns ...uint64) (value []byte) {
	for _, n := range ns {
		value = binary.LittleEndian.AppendUint64(value, n)
	}
	return value
}

const most = 70 // ranks of the largest job in these tests

// each runs a test for every number of ranks.
func each(t *testing.T, test func(t *testing.T, rng *rand.Rand, ranks, log int)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for ranks := 1; ranks <= most; ranks++ {
		test(t, rng, ranks, bits.Len(uint(ranks-1)))
	}
}

func square(rank int) []byte { return numbers(uint64(rank*rank + 1)) }

// squares returns the sum of the squares of all ranks.
func squares(ranks int) []byte {
	sum := uint64(0)
	for r := range ranks {
		sum += uint64(r*r + 1)
	}
	return numbers(sum)
}

// exchange checks the rounds and messages of recursive doubling, with ranks beyond a power of two folded in.
func exchange(t *testing.T, got result) {
	t.Helper()
	ranks := len(got.sent)
	floor := bits.Len(uint(ranks)) - 1
	m, rounds := 1<<floor, floor
	if m != ranks {
		rounds += 2
	}
	require.Equal(t, rounds, got.rounds)
	for r := range ranks {
		switch {
		case r >= m:
			require.Equal(t, 1, got.sent[r])
		case r+m < ranks:
			require.Equal(t, floor+1, got.sent[r])
		default:
			require.Equal(t, floor, got.sent[r])
		}
	}
}

func TestAllReduce(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, _ int) {
		got := play(t, rng, ranks, func(r int) []collective.Step { return collective.AllReduce(r, ranks) }, square, add)
		exchange(t, got)
		for r := range ranks {
			require.Equal(t, squares(ranks), got.values[r])
		}
	})
}

func TestBarrier(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, _ int) {
		got := play(t, rng, ranks, func(r int) []collective.Step { return collective.Barrier(r, ranks) },
			func(int) []byte { return nil }, nil)
		exchange(t, got)
		require.Zero(t, total(got.bytes))
	})
}

func TestTrees(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, log int) {
		for _, root := range []int{0, rng.IntN(ranks), ranks - 1} {
			trees(t, rng, ranks, log, root)
		}
	})
}

func trees(t *testing.T, rng *rand.Rand, ranks, log, root int) {
	play := func(steps func(rank, ranks, root int) []collective.Step, value func(rank int) []byte,
		merge func(into, from []byte)) result {
		got := play(t, rng, ranks, func(r int) []collective.Step { return steps(r, ranks, root) }, value, merge)
		require.Equal(t, ranks-1, total(got.sent))
		require.Equal(t, log, got.rounds)
		return got
	}
	got := play(collective.Broadcast, square, nil)
	for r := range ranks {
		require.Equal(t, square(root), got.values[r])
		require.LessOrEqual(t, got.sent[r], log)
	}

	got = play(collective.Gather, func(r int) []byte { return []byte{byte(r)} }, nil)
	slices.Sort(got.values[root])
	for r := range ranks {
		require.Equal(t, byte(r), got.values[root][r])
		require.LessOrEqual(t, got.bytes[r], 1<<log/2)
	}
	require.Len(t, got.values[root], ranks)

	require.Equal(t, squares(ranks), play(collective.Reduce, square, add).values[root])
}

func TestIndex(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, ranks, log int) {
		for i := range ranks {
			require.Equal(t, i, collective.Index(collective.RankAt(i, ranks), ranks))
			require.Less(t, collective.RankAt(i, ranks), ranks)
			if ranks == 1<<log {
				require.Equal(t, i, collective.Index(i, ranks))
			}
		}
	})
}

func TestReduceScatter(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, _ int) {
		const words = 2 // per element
		vectors := make([][]uint64, ranks)
		sums := make([]uint64, words*ranks)
		for r := range vectors {
			vectors[r] = make([]uint64, words*ranks)
			for i := range vectors[r] {
				vectors[r][i] = rng.Uint64() // sums wrap
				sums[i] += vectors[r][i]
			}
		}
		got := play(t, rng, ranks, func(r int) []collective.Step { return collective.ReduceScatter(r, ranks, 8*words) },
			func(r int) []byte { return numbers(vectors[r]...) }, add)
		exchange(t, got)
		for r := range ranks {
			at := words * collective.Index(r, ranks)
			require.Equal(t, numbers(sums[at:at+words]...), got.values[r])
			sent := ranks - 1
			if r >= 1<<bits.Len(uint(ranks))/2 {
				sent = ranks // including its own element
			}
			require.Equal(t, 8*words*sent, got.bytes[r])
		}
	})
}

func TestAllGather(t *testing.T) {
	each(t, func(t *testing.T, rng *rand.Rand, ranks, _ int) {
		var all []byte
		for r := range ranks {
			all = append(all, square(r)...)
		}
		got := play(t, rng, ranks, func(r int) []collective.Step { return collective.AllGather(r, ranks) }, square, nil)
		exchange(t, got)
		for r := range ranks {
			require.Equal(t, all, collective.ByRank(got.values[r], ranks))
			require.Equal(t, 8*gathered(r, ranks), got.bytes[r])
		}
	})
}

// gathered returns the number of values that a rank sends in an all-gathering. For each bit in turn it sends the values
// of all ranks that agree with it in the bits not yet exchanged; at the end it sends all to its partner.
func gathered(rank, ranks int) (n int) {
	m := 1 << bits.Len(uint(ranks)) / 2
	if rank >= m {
		return 1
	}
	for bit := 1; bit < m; bit <<= 1 {
		for r := range ranks {
			if r%m/bit == rank/bit {
				n++
			}
		}
	}
	if rank+m < ranks {
		n += ranks
	}
	return n
}

func total(ns []int) (sum int) {
	for _, n := range ns {
		sum += n
	}
	return sum
}

// lines is a network without memory for each message: it has one slot for each pair of ranks. The next message may be
// written after the last one has been taken.
type lines struct {
	rank  int
	ranks int
	slots [][]byte
	full  []bool
}

func (l *lines) Send(to int, _ uint64, _ uint32, value []byte) {
	at := l.rank*l.ranks + to
	l.slots[at], l.full[at] = append(l.slots[at][:0], value...), true
}

func (l *lines) Take(from int, _ uint64, _ uint32) ([]byte, bool) {
	at := from*l.ranks + l.rank
	ok := l.full[at]
	l.full[at] = false
	return l.slots[at], ok
}

// A machine that runs repeatedly, like those of detectors, allocates nothing.
func TestMachinesKeepTheirMemory(t *testing.T) {
	for _, ranks := range []int{5, 8} {
		for name, steps := range map[string]func(rank int) []collective.Step{
			"all-reduce":     func(r int) []collective.Step { return collective.AllReduce(r, ranks) },
			"barrier":        func(r int) []collective.Step { return collective.Barrier(r, ranks) },
			"reduce-scatter": func(r int) []collective.Step { return collective.ReduceScatter(r, ranks, 8) },
			"all-gather":     func(r int) []collective.Step { return collective.AllGather(r, ranks) },
			"scan":           func(r int) []collective.Step { return collective.Scan(r, ranks) },
		} {
			net := &lines{ranks: ranks, slots: make([][]byte, ranks*ranks), full: make([]bool, ranks*ranks)}
			machines, all, done := make([]collective.Machine, ranks), make([][]collective.Step, ranks), make([]bool, ranks)
			for r := range all {
				all[r] = steps(r)
			}
			value := make([]byte, 8*ranks)
			run := func() {
				for r := range machines {
					machines[r].Start(all[r], 1, value, add)
					done[r] = false
				}
				for left := ranks; left > 0; {
					for r := range machines {
						net.rank = r
						if !done[r] && machines[r].Advance(net) {
							done[r] = true
							left--
						}
					}
				}
			}
			run()
			require.Zero(t, testing.AllocsPerRun(100, run), "%s of %d ranks", name, ranks)
		}
	}
}

// A barrier ends on no rank before all have begun it.
func TestBarrierWaitsForAll(t *testing.T) {
	for ranks := 2; ranks <= 20; ranks++ {
		for missing := range ranks {
			p := newPost(ranks)
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
