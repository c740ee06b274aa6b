package target_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
)

// broken is a topology whose routes lead elsewhere.
type broken struct {
	route.Topology
	next func(at, dest int) int
}

func (b broken) Next(at, dest int) int { return b.next(at, dest) }
func (b broken) Name() string          { return "broken" }

// Every mistake in a registration ends the job with a RegistrationError that names the remedy.
func TestMistakesAreToldAtRegistration(t *testing.T) {
	type pointing struct {
		Key  uint64
		Name []struct{ S string }
	}
	type article struct{ Item string }
	hash, nothing, byKey := distribution.Hash(4), target.Each(ignore), target.Key(identity)
	byText, low := target.Key(distribution.HashString), target.LowBits[uint64](2)
	around := func(n int) route.Topology {
		return broken{route.Direct(n), func(at, dest int) int { return (at + 1 + (dest+at)%2) % n }}
	}
	jumping := func(n int) route.Topology {
		return broken{route.Hypercube(n), func(_, dest int) int { return dest }}
	}
	// registering and its parts register a target with a single fault.
	registering := func(where distribution.Map, keying target.Keying[uint64], handling target.Handling[uint64],
		options ...target.Option) func(r *pebble.Rank) {
		return func(r *pebble.Rank) { target.New(r, "x", where, keying, handling, options...) }
	}
	keyed := func(keying target.Keying[uint64]) func(r *pebble.Rank) { return registering(hash, keying, nothing) }
	handled := func(h target.Handling[uint64]) func(r *pebble.Rank) { return registering(hash, byKey, h) }
	with := func(options ...target.Option) func(r *pebble.Rank) {
		return registering(hash, byKey, nothing, options...)
	}
	for _, c := range []struct {
		want     string
		register func(r *pebble.Rank)
	}{
		{"a target needs a name", func(r *pebble.Rank) { target.New(r, "", hash, byKey, nothing) }},
		{"it has no distribution", registering(nil, byKey, nothing)},
		{"distribution is over 3", registering(distribution.Hash(3), byKey, nothing)},

		{"type target_test.pointing is not plain data: target_test.pointing.Name is a []struct",
			func(r *pebble.Rank) {
				target.New(r, "x", hash, target.Key(func(p pointing) uint64 { return p.Key }),
					target.Each(func(pointing) {}))
			}},
		{"add target.Coded(pebble.Strings{}), or another codec",
			func(r *pebble.Rank) { target.New(r, "x", hash, byText, target.Each(func(string) {})) }},
		{"its codec is a", with(target.Coded[string](text{}))},

		{"it has no key function", keyed(target.Keying[uint64]{})},
		{"it has no key function: give target.Key", keyed(target.Key[uint64](nil))},
		{"has no key function: give target.Key, target.Keys", keyed(target.Keys[uint64](nil))},
		{"its keys are 64 bits", keyed(target.LowBits[uint64](64))},
		{"its pebbles have 2 bytes", func(r *pebble.Rank) {
			target.New(r, "x", hash, target.LowBits[uint16](4), target.Each(func(uint16) {}))
		}},
		{"which are encoded", func(r *pebble.Rank) {
			target.New(r, "x", hash, target.LowBits[string](4), target.Each(func(string) {}),
				target.Coded[string](text{}))
		}},

		{"it has no handler", handled(target.Handling[uint64]{})},
		{"it has no handler: give target.Each", handled(target.Each[uint64](nil))},
		{"it has no handler: give target.Each or target.Batch", handled(target.Batch[uint64](nil))},
		{"it has no handler: give target.Each or target.Batch", handled(target.TryEach[uint64](nil))},
		{"it has no handler: give target.Each or target.Batch", handled(target.TryBatch[uint64](nil))},

		{"never arrives", with(target.Route(around))},
		{"which is not a neighbour", with(target.Route(jumping))},
		{"does not connect the job's 4 ranks",
			with(target.Route(func(int) route.Topology { return route.Direct(9) }))},
		{"its topology is nil", with(target.Route(nil))},

		{"a coalescing factor of -1", with(target.Coalesce(-1))},
		{"lower the coalescing factor", with(target.Coalesce(1 << 30))},
		{"add target.Reduce", with(target.Cache(8))},
		{"its reduction is a", with(target.Cache(8), target.Reduce(reduce.First[int]()))},
		{"larger than the memory limit", with(target.Cache(1<<40), target.Reduce(reduce.First[uint64]()))},
		{"leave target.Answers out", with(target.Answers())},

		{"give both", func(r *pebble.Rank) { target.NewAsk[uint64, uint64](r, "ask", hash, low, nil, nil) }},
		{"it has no key function", func(r *pebble.Rank) {
			target.NewAskBatch(r, "ask", hash, target.Keying[uint64]{}, func(_, _ []uint64) {}, func(_, _ []uint64) {})
		}},
		{"it has no key function", func(r *pebble.Rank) {
			target.NewAskBatch(r, "ask", hash, target.Key[uint64](nil), func(_, _ []uint64) {}, func(_, _ []uint64) {})
		}},
		{`target "q": its question: type string is not plain data: string is a string, which means nothing on ` +
			`another rank: add target.Coded(pebble.Strings{})`, func(r *pebble.Rank) {
			target.NewAskBatch(r, "q", hash, byText, func([]string, []int) {}, func([]string, []int) {})
		}},
		{"its answer: type []uint8 is not plain data: []uint8 is a []uint8, which means nothing on another rank: " +
			"add target.Coded(pebble.Bytes{})", func(r *pebble.Rank) {
			target.NewAskBatch(r, "q", hash, low, func([]uint64, [][]byte) {}, func([]uint64, [][]byte) {})
		}},
		{"add target.Coded(avro.Must[target_test.article]()), or another codec of it", func(r *pebble.Rank) {
			target.NewAskBatch(r, "q", hash, low, func([]uint64, []article) {}, func([]uint64, []article) {})
		}},
		{"target.Coded got a pebble.Strings, which is a codec of none of these values: its question is a uint64, " +
			"its answer a uint64", func(r *pebble.Rank) {
			target.NewAskBatch(r, "q", hash, low, func(_, _ []uint64) {}, func(_, _ []uint64) {},
				target.Coded(pebble.Strings{}))
		}},
		{"target.Coded got no codec: give one, or leave the option out for plain data", func(r *pebble.Rank) {
			target.NewAskBatch(r, "q", hash, byText, func([]string, []int) {}, func([]string, []int) {},
				target.Coded[string](nil))
		}},
	} {
		t.Run(c.want, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 4, MemoryLimit: 1 << 30}, func(r *pebble.Rank) error {
				c.register(r)
				return epoch(r, func() {})
			})
			require.ErrorContains(t, err, c.want)
			var registration *pebble.RegistrationError
			require.ErrorAs(t, err, &registration)
		})
	}
}

// Later mistakes, and those of a job's configuration, end the job too.
func TestMistakesAreTold(t *testing.T) {
	for _, c := range []struct {
		name   string
		config pebble.Config
		f      func(r *pebble.Rank, x *target.Target[uint64], where *target.Directory[uint64]) error
		want   string
	}{
		{"buffers beyond the limit", pebble.Config{Ranks: 32, MemoryLimit: 1000}, nil,
			"raise the limit, or use a topology with fewer neighbours"},
		{"less than no credit", pebble.Config{Ranks: 2, Credits: -1}, nil, "-1 frames of credit"},
		{"TrySend outside of an epoch", pebble.Config{Ranks: 1},
			func(_ *pebble.Rank, x *target.Target[uint64], _ *target.Directory[uint64]) error {
				x.TrySend(0)
				return nil
			}, `target "x": a pebble was sent outside of an epoch`},
		{"Move outside of an epoch", pebble.Config{Ranks: 1},
			func(_ *pebble.Rank, _ *target.Target[uint64], where *target.Directory[uint64]) error {
				where.Move(0, 0)
				return nil
			}, "sent outside of an epoch"},
		{"Move of another rank's key", pebble.Config{Ranks: 2},
			func(r *pebble.Rank, _ *target.Target[uint64], where *target.Directory[uint64]) error {
				return epochOf(1, r, func() { where.Move(0, 1) })
			}, "only a key's owner can move it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := run(t, c.config, func(r *pebble.Rank) error {
				x := numbers(r, "x", distribution.Hash(r.Size()), ignore)
				where := empty(r, "where", distribution.Cyclic(2, r.Size()))
				if c.f == nil {
					return nil
				}
				return c.f(r, x, where)
			})
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A key outside the distribution ends the job, for every form of key and send.
func TestKeyOutsideTheDistribution(t *testing.T) {
	thousand, eight := distribution.Block(1000, 2), distribution.Block(8, 2)
	for name, c := range map[string]struct {
		where  distribution.Map
		keying target.Keying[uint64]
		send   func(x *target.Target[uint64])
		want   string
	}{
		"Send": {thousand, target.Key(identity), func(x *target.Target[uint64]) { x.Send(1000) },
			"key 1000, which is outside the distribution " + thousand.Describe()},
		"SendAll": {thousand, target.Key(identity),
			func(x *target.Target[uint64]) { x.SendAll([]uint64{1, 2, 1000, 3}) },
			"key 1000, which is outside the distribution " + thousand.Describe()},
		"more bits than keys": {eight, target.LowBits[uint64](4),
			func(x *target.Target[uint64]) { x.SendAll([]uint64{7, 7 + 16, 8}) },
			"key 8, which is outside the distribution " + eight.Describe()},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
				x := target.New(r, "x", c.where, c.keying, target.Each(ignore))
				return epochOf(0, r, func() { c.send(x) })
			})
			var key *pebble.KeyError
			require.ErrorAs(t, err, &key)
			require.Regexp(t, `^\w+_test\.go:\d+: rank 0: target "x": a pebble was sent to `+regexp.QuoteMeta(c.want)+"$",
				err.Error())
		})
	}
}
