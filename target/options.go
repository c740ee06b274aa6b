package target

import (
	"reflect"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
)

// Keying computes the keys of pebbles. [Key], [Keys] and [LowBits] make one.
type Keying[V any] struct {
	many func(vs pebbles, keys []uint64)
	low  *int // of LowBits
}

// Key addresses pebbles one by one. The result must depend on the pebble alone. It costs a call per pebble, 1 to 2 ns.
func Key[V any](key func(v V) uint64) Keying[V] {
	if key == nil {
		return Keying[V]{} // registration refuses it
	}
	return Keying[V]{many: func(vs pebbles, keys []uint64) {
		for i, v := range values[V](vs) {
			keys[i] = key(v)
		}
	}}
}

// Keys addresses pebbles in batches: the function stores the key of vs[i] in keys[i]; both have the same length. It is
// the fast form of [Key].
func Keys[V any](keys func(vs []V, keys []uint64)) Keying[V] {
	if keys == nil {
		return Keying[V]{}
	}
	return Keying[V]{many: func(vs pebbles, to []uint64) { keys(values[V](vs), to) }}
}

// LowBits addresses pebbles by the low bits, 0 to 63, of their first 8 bytes as an integer, or of their first 4 if they
// have fewer than 8. The bits are the index into a table whose length is a power of two. It is the fastest form, for
// random numbers and hashes: over a distribution.Block with a power of two of keys per rank, owners are computed from
// the pebbles without a call.
func LowBits[V any](bits int) Keying[V] {
	mask := uint64(1)<<(bits&63) - 1
	return Keying[V]{
		many: func(ps pebbles, keys []uint64) {
			for i, vs := 0, values[V](ps); i < len(vs); i++ {
				keys[i] = firstWord(&vs[i]) & mask
			}
		},
		low: &bits,
	}
}

// Handling processes pebbles at the owner of their key. [Each] and [Batch] make one, as do [TryEach] and [TryBatch] for
// handlers that need their target or may fail.
type Handling[V any] struct {
	batch func(vs pebbles)
	bind  func(t *Target[V]) (batch func(vs pebbles)) // instead of batch: it needs the target, which is made last
}

// Each handles pebbles one by one. It costs a call per pebble, about 2 ns.
func Each[V any](handle func(v V)) Handling[V] {
	if handle == nil {
		return Handling[V]{} // registration refuses it
	}
	return Handling[V]{bind: func(t *Target[V]) func(vs pebbles) {
		at := &t.core.running.at
		return func(ps pebbles) {
			vs := values[V](ps)
			for i := range vs {
				*at = i
				handle(vs[i])
			}
		}
	}}
}

// Batch handles pebbles in batches, as they arrive. The slice is the memory of their frame: the handler may change it,
// but must not keep it.
func Batch[V any](handle func(vs []V)) Handling[V] {
	if handle == nil {
		return Handling[V]{}
	}
	return Handling[V]{batch: func(vs pebbles) { handle(values[V](vs)) }}
}

// Option changes a setting of a target. Options that differ between ranks are refused.
type Option interface{ apply(*settings) }

type settings struct {
	coalesce   int
	topology   route.Constructor
	cache      int
	tunes      engine.Tunes // settings that no option sets
	reduces    *reducing    // nil for no reduction
	codec      coding       // zero for plain data
	coded      bool         // the program has given codec
	prompt     bool         // flushed pebbles without credit leave as soon as credit comes
	answers    bool         // it has options of answers, which a target refuses
	extraDepth int          // additional length of its chains beyond a declared depth
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// Coalesce sets the coalescing factor: the number of pebbles that a buffer holds (Active Pebbles, section 3.3). It
// overrides pebble.Config.Coalesce.
func Coalesce(pebbles int) Option {
	return option(func(s *settings) { s.coalesce, s.tunes.Coalesce = pebbles, false })
}

// Route sets the topology. It overrides pebble.Config.Topology.
func Route(topology route.Constructor) Option {
	return option(func(s *settings) { s.topology, s.tunes.Topology = topology, false })
}

// Reduce drops or merges pebbles for the same key on their way, at their source and at every hop (Active Pebbles,
// section 3.5). It takes effect if the cache has entries: see [Cache]. Kinds that do not hold pebbles back
// (reduce.Duplicates, First and Best) work only at the source if routes may change: over route.Dynamic, and for the
// keys of a [Directory].
func Reduce[V any](kind reduce.Kind[V]) Option {
	r := &reducing{
		kind: kind, pebble: reflect.TypeFor[V](), writeBack: kind.WriteBack(),
		slot: func() int { return reduce.NewCache(kind, 1).SlotSize() },
		make: func(entries int) cache { return cacheOf[V]{reduce.NewCache(kind, entries)} },
	}
	return option(func(s *settings) { s.reduces = r })
}

// Cache sets the entries of the reduction cache, 0 for none. It overrides pebble.Config.Cache, and needs [Reduce].
func Cache(entries int) Option {
	return option(func(s *settings) { s.cache, s.tunes.Cache = entries, false })
}

// Coded makes values of type V travel through a codec, instead of as they lie in memory: the pebbles of a target, the
// questions or answers of an [Ask] or of a delegate, the arguments of a kind of tasks. pebble.Strings and pebble.Bytes
// are ready codecs. Package target/avro has one for most types.
func Coded[V any](codec Codec[V]) Option {
	if codec == nil {
		return coding{}
	}
	return coding{codec: codec, pebble: reflect.TypeFor[V](), coder: coderOf(codec)}
}

// coding is a codec for values of a type.
type coding struct {
	codec  any // a Codec, or nil
	pebble reflect.Type
	coder  *coder
}

func (c coding) apply(s *settings) { s.codec, s.coded = c, true }

// Given returns the codec, for packages that make other codecs of it.
func (c coding) Given() any { return c.codec }

// Serving lets chains of pebbles exceed a declared depth by extraDepth pebbles that the program did not send. It is for
// packages of this module.
func Serving(_ frame.Access, extraDepth int) Option {
	return option(func(s *settings) { s.extraDepth = extraDepth })
}

// Answers gives options to the answers of an [Ask] or a delegate alone, after those that they share with questions.
// Coalesce and Route apply. With Coalesce(1), answers that are much larger than their questions travel one by one,
// while questions are gathered.
func Answers(options ...Option) Option { return answering{options} }

type answering struct{ options []Option }

func (a answering) apply(s *settings) { s.answers = true }
