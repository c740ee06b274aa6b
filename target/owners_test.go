package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/covering"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// astray is a user's distribution by key mod ranks, which names an invalid owner for key 7.
type astray struct{ ranks, owner int }

func (a astray) Ranks() int       { return a.ranks }
func (a astray) Describe() string { return fmt.Sprintf("astray(%d)", a.ranks) } // equal on all ranks

func (a astray) Owner(key uint64) int {
	if key == 7 && a.owner != 0 {
		return a.owner
	}
	return int(key % uint64(a.ranks))
}

// astrayMap is a user's distribution that describes itself.
type astrayMap interface {
	distribution.Map
	distribution.Describer
}

// astrayBatch is the same with a batch method, and with a setting for keys outside.
type astrayBatch struct {
	astray
	outside int // result of Owners
}

func (a astrayBatch) Owners(keys []uint64, owners []uint32) int {
	for i, key := range keys {
		owners[i] = uint32(a.Owner(key))
	}
	return a.outside
}

// embedding is one of our distributions with another batch method.
type embedding struct{ *distribution.BlockMap }

func (e embedding) Owners(keys []uint64, owners []uint32) int {
	bad := e.BlockMap.Owners(keys, owners)
	for i, key := range keys {
		if key == 7 {
			owners[i] = 2
		}
	}
	return bad
}

// An owner that is not a rank ends the job with an error that names distribution, key and owner, for every kind of
// send.
func TestOwnersThatAreNoRanks(t *testing.T) {
	coded := target.Coded[uint64](plainCodec{})
	reduced, cached := target.Reduce(reduce.First[uint64]()), target.Cache(16)
	options := [][]target.Option{nil, {coded}, {reduced, cached}, {coded, reduced, cached}}
	sends := []func(x, relay *target.Target[uint64]){
		func(x, _ *target.Target[uint64]) { x.Send(7) },
		func(x, _ *target.Target[uint64]) { x.SendAll([]uint64{0, 1, 2, 3, 7, 1}) },
		func(_, relay *target.Target[uint64]) { relay.Send(7) }, // by a handler
	}
	maps := []func(ranks int) astrayMap{
		func(ranks int) astrayMap { return astray{ranks, ranks} },
		func(ranks int) astrayMap { return astray{ranks, 1 << 32} },
		func(ranks int) astrayMap { return astrayBatch{astray{ranks, ranks}, -1} },
	}
	for row := range covering.Product([]int{len(options), len(sends), len(maps), 2, 2}) {
		ranks, moving := 2+row[3], row[4] == 1
		where := maps[row[2]](ranks)
		words := where.Describe()
		if moving {
			words = "directory(" + words + ")"
		}
		t.Run(fmt.Sprintf("options %d, way %d, map %d, %d ranks, %s", row[0], row[1], row[2], ranks, words),
			func(t *testing.T) {
				wrong := ownerError(t, ranks, route.Hypercube, func(r *pebble.Rank) error {
					var m distribution.Map = where
					if moving {
						m = empty(r, "where", where)
					}
					x := numbers(r, "x", m, ignore, options[row[0]]...)
					relay := numbers(r, "relay", distribution.Hash(ranks), func(v uint64) { x.Send(v) })
					return epochOf(0, r, func() { sends[row[1]](x, relay) })
				}, fmt.Sprintf(`target "x": the distribution %s gives key 7 to rank %d, ranks are 0 to %d`, words,
					where.Owner(7), ranks-1))
				require.Equal(t, target.OwnerError{Key: 7, Owner: where.Owner(7), Ranks: ranks, Distribution: words},
					wrong)
			})
	}
}

// ownerError runs a job that ends with an OwnerError with the given text, and returns the error.
func ownerError(t *testing.T, ranks int, topology route.Constructor, f func(r *pebble.Rank) error,
	words string) target.OwnerError {
	err := run(t, pebble.Config{Ranks: ranks, Topology: topology}, f)
	var wrong *target.OwnerError
	require.ErrorAs(t, err, &wrong)
	require.ErrorContains(t, err, words)
	return *wrong
}

// At a hop, owners are computed again: rank 1 of a line 0-1-2 names another owner than rank 0 did.
func TestOwnersThatAreNoRanksAtHops(t *testing.T) {
	for _, options := range [][]target.Option{nil, {target.Coded[uint64](plainCodec{})}} {
		wrong := ownerError(t, 4, route.Ring, func(r *pebble.Rank) error {
			where := astray{4, 2}
			if r.ID() == 1 {
				where.owner = 5
			}
			x := numbers(r, "x", where, ignore, options...)
			return epochOf(0, r, func() { x.Send(7) })
		}, "rank 1:")
		require.Equal(t, target.OwnerError{Key: 7, Owner: 5, Ranks: 4, Distribution: "astray(4)"}, wrong)
	}
}

// The first index outside, from a user's distribution, counts if it comes first, and must be valid.
func TestBatchersOfUsers(t *testing.T) {
	for name, c := range map[string]struct {
		where distribution.Map
		send  []uint64
		words string
	}{
		"outside ahead of no rank": {astrayBatch{astray{2, 3}, 1}, []uint64{1, 2, 7},
			"a pebble was sent to key 2, which is outside the distribution astray(2)"},
		"no rank ahead of outside": {astrayBatch{astray{2, 3}, 2}, []uint64{1, 7, 2},
			"the distribution astray(2) gives key 7 to rank 3"},
		"a count in place of -1": {astrayBatch{astray{2, 0}, 3}, []uint64{1, 2, 3},
			"of 3 keys the one with index 3 is the first outside"},
		"around one of ours": {embedding{distribution.Block(8, 2)}, []uint64{1, 7},
			"the distribution block(n=8, ranks=2) gives key 7 to rank 2"},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
				x := numbers(r, "x", c.where, ignore)
				return epochOf(0, r, func() { x.SendAll(c.send) })
			})
			require.ErrorContains(t, err, c.words)
		})
	}
}
