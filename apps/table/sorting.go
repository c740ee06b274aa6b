package table

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// Sorting is rows that all ranks sort, with a check that needs no second sort: rows must be in order on each rank and
// from one rank to the next, their number must be that before sorting, and so must the sum of their hashes. So the
// check misses a lost, doubled or changed row only by an accident of probability 1 in 2^64.
type Sorting[R any, K cmp.Ordered] struct {
	rank          *pebble.Rank
	table         *container.Table[R]
	key           func(row R) K
	hash          func(row R) uint64
	sort          func(t *container.Table[R]) error
	codec         []pebble.Codec[K] // none for plain data
	before, after Seen              // this rank's rows, before and after sorting
	disorder      uint64            // rows that belong before the preceding row
	edges         []K               // keys of the first and the last row
}

// Seen is the number of examined rows, and the sum of their hashes.
type Seen struct{ Count, Sum uint64 }

func (s *Seen) note(hash uint64) {
	s.Count++
	s.Sum += hash
}

func (s Seen) add(o Seen) Seen { return Seen{s.Count + o.Count, s.Sum + o.Sum} }

// NewSorting makes an empty Sorting of rows that are their own keys, by the rules of [container.NewTable].
func NewSorting[R cmp.Ordered](r *pebble.Rank, name string, space container.Budget, hash func(row R) uint64,
	codec ...pebble.Codec[R]) *Sorting[R, R] {
	s := NewSortingBy(r, name, space, func(row R) R { return row }, hash, codec...)
	s.sort = container.Sort[R]
	return s
}

// NewSortingBy makes an empty Sorting of rows that are sorted by a key.
func NewSortingBy[R any, K cmp.Ordered](r *pebble.Rank, name string, space container.Budget, key func(row R) K,
	hash func(row R) uint64, codec ...pebble.Codec[K]) *Sorting[R, K] {
	return &Sorting[R, K]{
		rank: r, table: container.NewTable[R](r, name, space), key: key, hash: hash, codec: codec,
		sort: func(t *container.Table[R]) error { return container.SortBy(t, key) },
	}
}

// NewRows is NewSorting for rows of this package.
func NewRows(r *pebble.Rank, name string, space container.Budget) *Sorting[string, string] {
	return NewSorting(r, name, space, distribution.HashString, pebble.Codec[string](pebble.Strings{}))
}

// Parts returns the parts of a checkpoint: the rows in any order. They are not sorted after a restore.
func (s *Sorting[R, K]) Parts() []checkpoint.Part {
	return []checkpoint.Part{
		checkpoint.Records("rows", s.table), checkpoint.PerRank("before", &s.before, Seen.add),
	}
}

// Add adds a row to this rank's rows, as container.Table does.
func (s *Sorting[R, K]) Add(row R) {
	s.before.note(s.hash(row))
	s.table.Add(row)
}

// Sort sorts the rows. All ranks call it.
func (s *Sorting[R, K]) Sort() error { return s.sort(s.table) }

// Clear removes all rows. All ranks call it.
func (s *Sorting[R, K]) Clear() error { return s.table.Clear() }

// All yields this rank's rows in order, and examines them for the check. Call it once.
func (s *Sorting[R, K]) All() iter.Seq[R] {
	return func(yield func(R) bool) {
		var last K
		for row := range s.table.LocalAll() {
			key := s.key(row)
			if s.after.Count == 0 {
				s.edges = append(s.edges, key)
			} else if key < last {
				s.disorder++
			}
			last = key
			s.after.note(s.hash(row))
			if !yield(row) {
				return
			}
		}
		if s.after.Count > 0 {
			s.edges = append(s.edges, last)
		}
	}
}

// LocalLen returns the number of rows of this rank.
func (s *Sorting[R, K]) LocalLen() int { return s.table.LocalLen() }

// Look yields this rank's rows in order, before All. It costs a pass over all rows.
func (s *Sorting[R, K]) Look() iter.Seq[R] { return s.table.LocalAll() }

// Sums are sums over the rows of all ranks.
type Sums struct {
	Before, After Seen
	Most          uint64 // number of rows of the fullest rank
	Spilled       container.Spilled
}

// Fullest returns the number of rows of the fullest rank, divided by the mean over the given number of ranks.
func (s Sums) Fullest(ranks int) float64 {
	if s.After.Count == 0 {
		return 0
	}
	return float64(s.Most) * float64(ranks) / float64(s.After.Count)
}

// Total sums the rows of all ranks, after All. All ranks call it.
func (s *Sorting[R, K]) Total() (Sums, error) {
	own := Sums{s.before, s.after, s.after.Count, s.table.Spilled()}
	return pebble.AllReduce(s.rank, own, func(a, b Sums) Sums {
		return Sums{a.Before.add(b.Before), a.After.add(b.After), max(a.Most, b.Most), PlusSpilled(a.Spilled, b.Spilled)}
	})
}

// PlusSpilled returns the sum of two container.Spilled.
func PlusSpilled(a, b container.Spilled) container.Spilled {
	return container.Spilled{Bytes: a.Bytes + b.Bytes, Runs: a.Runs + b.Runs}
}

// Judge adds mistakes to the errors of a report, from the sums of Total. All ranks call it.
func (s *Sorting[R, K]) Judge(p *apps.Report, sums Sums) error {
	if err := p.Found(s.rank, s.disorder, "rows are wrong: they come before the one ahead of them"); err != nil {
		return err
	}
	ends, err := pebble.AllGatherSlice(s.rank, s.edges, s.codec...)
	if err != nil {
		return err
	}
	between, first := uint64(0), true
	var last K
	for _, edges := range ends {
		if len(edges) == 0 {
			continue
		}
		between += apps.Differ(first || last <= edges[0])
		first, last = false, edges[1]
	}
	if err := p.FoundOnce(s.rank, between,
		"ranks are wrong: their first row comes before the last one of those ahead"); err != nil {
		return err
	}
	before, after := sums.Before, sums.After
	lost := max(before.Count, after.Count) - min(before.Count, after.Count)
	if err := p.FoundOnce(s.rank, lost, "rows are wrong: they were lost or doubled"); err != nil {
		return err
	}
	changed := apps.Differ(lost > 0 || before.Sum == after.Sum)
	return p.FoundOnce(s.rank, changed, "checksum went wrong: rows were changed")
}

// Checksum returns the sum of hashes as text.
func (s Seen) Checksum() string { return fmt.Sprintf("%016x", s.Sum) }
