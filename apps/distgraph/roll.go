package distgraph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// name is the type of the names of vertices in a source: ids, or any strings.
type name interface{ uint64 | string }

// A roll contains the names in the edges of all ranks of a job, each once, in ascending order. Each rank has an
// interval of it; the intervals are in the order of ranks.
type roll[N name] struct {
	rank    *pebble.Rank
	splits  []N        // the first name of each rank's interval, except the first rank's
	entries []entry[N] // of this rank's interval, in ascending order of names
	names   []N        // the same names, each once
	first   uint64     // place of the first of names in the roll
	total   uint64     // number of names of all ranks

	strangers []N // names of this rank's interval that the list of vertices lacks
}

// A numbered pebble gives rank To the number of the vertex whose name is at position At among its names.
type numbered struct{ To, At, Number uint64 }

func (n numbered) fingerprint() uint64 { return apps.Fold(n.To<<48^n.At, n.Number) }

// newRoll makes the roll of the names of all ranks; own are this rank's. If areListed, there is a list of all vertices,
// and a name that it lacks is an error; listed reports whether it contains a name. It is an epoch.
func newRoll[N name](r *pebble.Rank, own []N, areListed bool, listed func(at int) bool) (*roll[N], error) {
	t := &roll[N]{rank: r}
	if err := t.split(own); err != nil {
		return nil, err
	}
	owner := func(e entry[N]) uint64 { return t.owner(e.Name) }
	err := sendEntries(r, "names", distribution.Ranks(r.Size()), owner, own, func(at int) entry[N] {
		return entry[N]{own[at], uint64(r.ID()), uint64(at), bit(areListed && listed(at))}
	}, func(es []entry[N]) { t.entries = append(t.entries, es...) })
	if err != nil {
		return nil, err
	}
	slices.SortFunc(t.entries, func(a, b entry[N]) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Listed, a.Listed))
	})
	for _, e := range t.entries {
		if last := len(t.names) - 1; last < 0 || t.names[last] != e.Name {
			t.names = append(t.names, e.Name)
			if areListed && e.Listed == 0 {
				t.strangers = append(t.strangers, e.Name)
			}
		}
	}
	counts, err := pebble.AllGatherSlice(r, []uint64{uint64(len(t.names))})
	for rank, count := range slices.Concat(counts...) {
		if rank < r.ID() {
			t.first += count
		}
		t.total += count
	}
	if err == nil {
		err = t.mustList()
	}
	return t, err
}

// split chooses the intervals by a sample of all ranks' names. It is collective.
func (t *roll[N]) split(own []N) error {
	const perRank = 64
	var sample []N
	step := max(len(own)/perRank, 1)
	for i := 0; i < len(own); i += step {
		sample = append(sample, own[i])
	}
	all, err := pebble.AllGatherSlice(t.rank, sample, codecOf[N](pebble.Strings{})...)
	if err != nil {
		return err
	}
	sample = slices.Concat(all...)
	slices.Sort(sample)
	if len(sample) == 0 {
		return nil
	}
	for rank := 1; rank < t.rank.Size(); rank++ {
		t.splits = append(t.splits, sample[rank*len(sample)/t.rank.Size()])
	}
	return nil
}

// mustList returns an error if the edges name a vertex that the list of vertices lacks. It is collective.
func (t *roll[N]) mustList() error {
	own := t.strangers[:min(len(t.strangers), 1)]
	all, err := pebble.AllGatherSlice(t.rank, own, codecOf[N](pebble.Strings{})...)
	if err != nil {
		return err
	}
	for _, stranger := range slices.Concat(all...) {
		return fmt.Errorf("the edges name vertex %v, and the list of vertices does not have it: the list is truncated, or "+
			"of another graph; fetch it again", labelOf(stranger))
	}
	return nil
}

// owner returns the rank whose interval contains a name.
func (t *roll[N]) owner(n N) uint64 {
	after, found := slices.BinarySearch(t.splits, n)
	for found && after < len(t.splits) && t.splits[after] == n {
		after++
	}
	return uint64(after)
}

// A counting gives vertices their numbers, from 0, in ascending order of names. A header may count isolated vertices,
// which no edge names. They get the smallest ids that are not names, so that all ids below dense exist.
type counting struct{ isolated, dense uint64 }

// count makes the counting of a roll, for a graph with at least counted vertices, from a header. It is collective.
//
// Below names[p], names[p]-p ids are missing; this never decreases with p. The last isolated vertex is the missing id
// number gap. So exactly the names with names[p]-p <= gap are below it.
func count(t *roll[uint64], counted uint64) (c counting, err error) {
	if counted > 0 && t.total > counted {
		return c, fmt.Errorf("the header has %d nodes, the edges name %d: the file is damaged; fetch it again or correct "+
			"its header", counted, t.total)
	}
	c.isolated = max(counted, t.total) - t.total
	if c.isolated == 0 {
		return c, nil
	}
	gap := c.isolated - 1
	below, high := 0, len(t.names)
	for below < high {
		if p := (below + high) / 2; t.names[p]-(t.first+uint64(p)) <= gap {
			below = p + 1
		} else {
			high = p
		}
	}
	all, err := apps.Sum(t.rank, uint64(below))
	c.dense = c.isolated + all
	return c, err
}

// number returns the number of the name at a place of the roll.
func number[N name](c counting, place uint64, n N) uint64 {
	if id, isID := any(n).(uint64); isID && id < c.dense {
		return id
	}
	return place + c.isolated
}

// answer returns the numbers of this rank's own names, and drops the entries. It is an epoch.
func (t *roll[N]) answer(c counting, own int) (numbers []uint64, err error) {
	numbers = make([]uint64, own)
	var tally apps.Tally
	to := target.New(t.rank, targetOnce(t.rank, "numbers"), distribution.Ranks(t.rank.Size()),
		target.Keys(func(vs []numbered, keys []uint64) {
			for i, v := range vs {
				keys[i] = v.To
			}
		}),
		target.Batch(func(vs []numbered) {
			for _, v := range vs {
				isOwn := int(v.To) == t.rank.ID() && v.At < uint64(own)
				if tally.Take(v.fingerprint(), isOwn); isOwn {
					numbers[v.At] = v.Number
				}
			}
		}))
	defer to.Free()
	err = t.rank.Epoch(func() error {
		place, out := 0, make([]numbered, 0, edgesAtOnce)
		for _, e := range t.entries {
			if e.Name != t.names[place] {
				place++
			}
			v := numbered{e.From, e.At, number(c, t.first+uint64(place), e.Name)}
			tally.Send(v.fingerprint())
			if out = append(out, v); len(out) == cap(out) {
				to.SendAll(out)
				out = out[:0]
			}
		}
		to.SendAll(out)
		return nil
	}, pebble.Depth(1), pebble.Named("numbers"))
	t.entries = nil
	if err == nil {
		err = tally.Check(t.rank, "find the numbers of vertices")
	}
	return numbers, err
}

// deal sends each owner of vertices the names of its block that are on the roll. It returns them by place in the block.
// It is an epoch.
func (t *roll[N]) deal(c counting, g *Graph) (names []N, err error) {
	names = make([]N, g.Local)
	owner := func(e entry[N]) uint64 { return e.At }
	err = sendEntries(t.rank, "labels", g.Owner, owner, t.names, func(at int) entry[N] {
		return entry[N]{Name: t.names[at], At: number(c, t.first+uint64(at), t.names[at])}
	}, func(es []entry[N]) {
		for _, e := range es {
			names[e.At-g.First] = e.Name
		}
	})
	return names, err
}

// targetOnce returns the name of a target that serves between two epochs of building a graph.
func targetOnce(r *pebble.Rank, what string) string {
	return fmt.Sprintf("graph %s %d", what, r.Counters().Epochs)
}
