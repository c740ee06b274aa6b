package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// astray is a distribution of a user's by key mod ranks, which names an owner that is no rank for key 7.
type astray struct{ ranks, owner int }

func (a astray) Ranks() int       { return a.ranks }
func (a astray) Describe() string { return fmt.Sprintf("astray(%d)", a.ranks) } // the same on all ranks

func (a astray) Owner(key uint64) int {
	if key == 7 && a.owner != 0 {
		return a.owner
	}
	return int(key % uint64(a.ranks))
}

// astrayMap is a distribution of a user's that describes itself.
type astrayMap interface {
	distribution.Map
	distribution.Describer
}

// astrayBatch is the same with a fast door, and with a way to say what is outside.
type astrayBatch struct {
	astray
	outside int // what Owners returns
}

func (a astrayBatch) Owners(keys []uint64, owners []uint32) int {
	for i, key := range keys {
		owners[i] = uint32(a.Owner(key))
	}
	return a.outside
}

// embedding is one of ours with another fast door.
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

// An owner that is no rank ends the job with words that name the distribution, the key and the owner, whichever way the
// pebble was sent.
func TestOwnersThatAreNoRanks(t *testing.T) {
	coded, reduced, cached := target.Coded[uint64](plainCodec{}), target.Reduce(reduce.First[uint64]()), target.Cache(16)
	for name, options := range map[string][]target.Option{
		"plain": nil, "coded": {coded}, "plain, reduced": {reduced, cached}, "coded, reduced": {coded, reduced, cached},
	} {
		for from, send := range map[string]func(x, relay *target.Target[uint64]){
			"Send":      func(x, _ *target.Target[uint64]) { x.Send(7) },
			"SendAll":   func(x, _ *target.Target[uint64]) { x.SendAll([]uint64{0, 1, 2, 3, 7, 1}) },
			"a handler": func(_, relay *target.Target[uint64]) { relay.Send(7) },
		} {
			for _, ranks := range []int{2, 3} {
				for kind, where := range map[string]astrayMap{
					"map": astray{ranks, ranks}, "beyond 32 bits": astray{ranks,
						1 << 32}, "batcher": astrayBatch{astray{ranks, ranks}, -1},
				} {
					for _, moving := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s, %s, %d ranks, %s, moving %v", name, from, ranks, kind, moving),
							func(t *testing.T) {
								err := run(t, pebble.Config{Ranks: ranks, Topology: route.Hypercube},
									func(r *pebble.Rank) error {
										var m distribution.Map = where
										if moving {
											m = target.NewDirectory(r, "where", where, func(uint64) uint64 { return 0 },
												func(uint64, uint64) {})
										}
										x := target.New(r, "x", m, target.Key(identity), target.Each(func(uint64) {}),
											options...)
										relay := target.New(r, "relay", distribution.Hash(ranks), target.Key(identity),
											target.Each(func(v uint64) { x.Send(v) }))
										return r.Epoch(func() error {
											if r.ID() == 0 {
												send(x, relay)
											}
											return nil
										})
									})
								var wrong *target.OwnerError
								require.ErrorAs(t, err, &wrong)
								words := where.Describe()
								if moving {
									words = "directory(" + words + ")"
								}
								require.Equal(t, target.OwnerError{Key: 7, Owner: where.Owner(7), Ranks: ranks,
									Distribution: words}, *wrong)
								require.ErrorContains(t, err, fmt.Sprintf(`target "x": the distribution %s gives key 7 `+
									`to rank %d, ranks are 0 to %d`,
									words, where.Owner(7), ranks-1))
							})
					}
				}
			}
		}
	}
}

// At a hop owners are worked out anew: rank 1 of a line 0-1-2 names another owner than rank 0 did.
func TestOwnersThatAreNoRanksAtHops(t *testing.T) {
	for name, options := range map[string][]target.Option{"plain": nil, "coded": {target.Coded[uint64](plainCodec{})}} {
		t.Run(name, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 4, Topology: route.Ring}, func(r *pebble.Rank) error {
				where := astray{4, 0}
				if r.ID() == 1 {
					where.owner = 5
				} else {
					where.owner = 2
				}
				x := target.New(r, "x", where, target.Key(identity), target.Each(func(uint64) {}), options...)
				return r.Epoch(func() error {
					if r.ID() == 0 {
						x.Send(7)
					}
					return nil
				})
			})
			var wrong *target.OwnerError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, target.OwnerError{Key: 7, Owner: 5, Ranks: 4, Distribution: "astray(4)"}, *wrong)
			require.ErrorContains(t, err, "rank 1:")
		})
	}
}

// What a distribution of a user's says of keys outside comes first when it comes first, and must make sense.
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
				x := target.New(r, "x", c.where, target.Key(identity), target.Each(func(uint64) {}))
				return r.Epoch(func() error {
					if r.ID() == 0 {
						x.SendAll(c.send)
					}
					return nil
				})
			})
			require.ErrorContains(t, err, c.words)
		})
	}
}
