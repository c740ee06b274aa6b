package target

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// Directory is a dynamic distribution: keys start at the owners that a base distribution names, and move from rank to
// rank while the job runs, with their state (Active Pebbles, section 3.2). Give it to [New] as a target's distribution.
// A pebble that arrives at a former owner is sent on; one that finds its key on the way is passed around until the key
// has arrived. None is lost.
//
// A rank keeps 16 bytes for each key that has left its home or come from elsewhere, in pages of eight keys in a row of
// about 160 bytes: number keys that move together in a row. A move costs two to four times a plain pebble of its size
// (BenchmarkMoves). Pebbles for a directory's keys always travel directly: a hop that knows less than the hop before
// could send them back.
type Directory[S any] struct {
	base    distribution.Map
	keys    *distribution.Directory
	rank    *pebble.Rank
	depart  func(key uint64) S
	moves   *Target[move[S]]
	news    *Target[moved]
	running bool          // a batch of pebbles to keys of this directory is being handled
	waiting []pendingMove // until it has been
}

// move carries a key and its state to its new owner.
type move[S any] struct {
	Key, Version uint64
	To           uint32
	State        S
}

// moved tells the home of a key where it went.
type moved struct {
	Key, Version uint64
	At           uint32
}

// promptly makes a target one whose flushed pebbles never wait for an idle rank: they travel directly, in buffers of
// their rank alone, and what finds no credit leaves when credit comes.
var promptly = option(func(s *settings) { s.topology, s.prompt = route.Direct, true })

// pendingMove is a move that a handler has asked for, whose batch may have more pebbles to the key.
type pendingMove struct {
	key uint64
	to  int
}

// NewDirectory registers a directory over a base distribution. When a key moves, depart takes its state away from the
// old owner, and arrive puts it down at the new one; both run on their rank's goroutine like handlers, and must not
// send. S is plain data, or the options hold a codec for it ([Coded]).
func NewDirectory[S any](r *pebble.Rank, name string, base distribution.Map, depart func(key uint64) S,
	arrive func(key uint64, state S), options ...Option) *Directory[S] {
	if base == nil || depart == nil || arrive == nil {
		r.Inside(frame.Access{}).Refuse(name, "a directory needs a base distribution and the functions depart and arrive")
	}
	d := &Directory[S]{base: base, keys: distribution.NewDirectory(base, r.ID()), rank: r, depart: depart}
	byRank := distribution.Cyclic(uint64(r.Size()), r.Size())
	d.moves = New(r, name+" moves", byRank,
		Key(func(m move[S]) uint64 { return uint64(m.To) }),
		Each(func(m move[S]) {
			d.keys.Adopt(m.Key, m.Version)
			arrive(m.Key, m.State)
		}), append(d.carried(name, options), promptly)...)
	d.news = New(r, name+" news", byRank,
		Key(func(s moved) uint64 { return uint64(d.Home(s.Key)) }),
		Each(func(s moved) { d.keys.Learn(s.Key, int(s.At), s.Version) }), promptly)
	return d
}

// Ranks implements distribution.Map.
func (d *Directory[S]) Ranks() int { return d.keys.Ranks() }

// Home is the owner that the base distribution names for a key.
func (d *Directory[S]) Home(key uint64) int { return d.keys.Home(key) }

// Owner implements distribution.Map: the owner of a key as far as this rank knows.
func (d *Directory[S]) Owner(key uint64) int { return d.keys.Owner(key) }

// Owners implements distribution.Batcher.
func (d *Directory[S]) Owners(keys []uint64, owners []uint32) int { return d.keys.Owners(keys, owners) }

// Owns reports whether this rank has a key now.
func (d *Directory[S]) Owns(key uint64) bool { return d.keys.Owns(key) }

// Describe implements distribution.Describer.
func (d *Directory[S]) Describe() string { return d.keys.Describe() }

// carried replaces a codec for the state by one for moves.
func (d *Directory[S]) carried(name string, options []Option) []Option {
	var s settings
	for _, o := range options {
		o.apply(&s)
	}
	if s.codec.codec == nil {
		if err := layout.Plain(reflect.TypeFor[S]()); err != nil {
			d.rank.Inside(frame.Access{}).Refuse(name, fmt.Sprintf("its state: %v: %s", err,
				codecs.Advice(reflect.TypeFor[S]())))
		}
		return slices.Clone(options)
	}
	codec, ok := s.codec.codec.(Codec[S])
	if !ok {
		d.rank.Inside(frame.Access{}).Refuse(name, fmt.Sprintf("its codec is a %T, its state is %v", s.codec.codec,
			reflect.TypeFor[S]()))
	}
	return append(options[:len(options):len(options)], Coded[move[S]](moveCodec[S]{codec}))
}

// Move gives a key of this rank to rank to. It is called inside epochs, by the main function or by a handler. The key's
// state leaves by depart, and the key is gone, when Move returns; but in a handler of a target over this directory the
// key stays until the running batch of pebbles has been handled, for more of them may be for it. Moving a key that is
// not here panics; moving it to where it is does nothing.
//
// In the main function, Move waits first, as a send does, until there is credit and room in the budget, and lets
// handlers run meanwhile: when one of them gives the key away, that is where it goes. Moves of the main function share
// frames, as pebbles do; those of a batch that a handler has handled leave behind it. A key on its way never waits for
// anything but credit.
func (d *Directory[S]) Move(key uint64, to int) {
	d.moves.core.engine.Rank.CheckFreed("Move was called")
	if !d.Owns(key) {
		d.rank.Inside(frame.Access{}).Misuse("target", "Move of key %d, which is at rank %d: only a key's owner can move it", key,
			d.Owner(key))
	}
	if to < 0 || to >= d.Ranks() {
		d.rank.Inside(frame.Access{}).Misuse("target", "Move of key %d to rank %d: ranks are 0 to %d", key, to, d.Ranks()-1)
	}
	e := d.moves.core.engine
	if e.EnterSend() {
		d.moves.core.awaitRoom(of([]move[S]{{Key: key, To: uint32(to)}}))
	}
	switch {
	case d.running:
		d.waiting = append(d.waiting, pendingMove{key, to})
	case e.Rank.InHandler():
		before := e.Handle(0) // a task does not wait from here on, either
		if d.Owns(key) {      // a task may have waited
			d.move(key, to)
			d.hurry()
		}
		e.Handled(before)
	default:
		e.Begin()
		e.Sent(1)
		e.AwaitCredits() // while the key is still here
		d.news.core.engine.AwaitCredits()
		before := e.Handle(0) // no waiting from here on
		if d.Owns(key) {
			d.move(key, to)
		}
		e.Handled(before)
		e.End()
	}
}

func (d *Directory[S]) beforeBatch() { d.running = true }

// afterBatch carries out the moves that the batch's handler has asked for.
func (d *Directory[S]) afterBatch() {
	d.running = false
	for i := 0; i < len(d.waiting); i++ {
		if w := d.waiting[i]; d.Owns(w.key) {
			d.move(w.key, w.to)
		}
	}
	if len(d.waiting) > 0 {
		d.waiting = d.waiting[:0]
		d.hurry()
	}
}

// hurry sends moves at once, or as soon as there is credit. A pebble that looks for a key on its way is passed around
// until the key has arrived, and keeps its ranks from being idle and frames in flight: the key must not wait for an
// idle rank, here or at a hop, nor for the budget. Moves of the main function gather until its rank looks next for what
// is due, for until then it handles no pebble, and nobody else knows where the key goes.
func (d *Directory[S]) hurry() {
	d.moves.Flush()
	d.news.Flush()
}

func (d *Directory[S]) move(key uint64, to int) {
	self := d.rank.ID()
	if to == self {
		return
	}
	state := d.depart(key)
	version := d.keys.Release(key, to)
	d.moves.Send(move[S]{Key: key, Version: version, To: uint32(to), State: state})
	if home := d.Home(key); home != self && home != to {
		d.news.Send(moved{Key: key, Version: version, At: uint32(to)})
	}
}

// moveCodec carries moves whose state has a codec.
type moveCodec[S any] struct{ state Codec[S] }

const moveHead = 20 // bytes ahead of the state

func (c moveCodec[S]) Append(dst []byte, m move[S]) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, m.Key)
	dst = binary.LittleEndian.AppendUint64(dst, m.Version)
	dst = binary.LittleEndian.AppendUint32(dst, m.To)
	return c.state.Append(dst, m.State)
}

func (c moveCodec[S]) Decode(src []byte) (m move[S], err error) {
	if len(src) < moveHead {
		return m, errRecord
	}
	m.Key = binary.LittleEndian.Uint64(src)
	m.Version = binary.LittleEndian.Uint64(src[8:])
	m.To = binary.LittleEndian.Uint32(src[16:])
	m.State, err = c.state.Decode(src[moveHead:])
	return m, err
}

func (c moveCodec[S]) Schema() string { return "move of " + schemaOf(reflect.TypeFor[S](), c.state) }
