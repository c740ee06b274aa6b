package target

import (
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// Directory is a dynamic distribution: keys start at the owners that a base distribution names, and move with their
// state from rank to rank while the job runs (Active Pebbles, section 3.2). Give it to [New] as a target's
// distribution. A former owner sends pebbles on; pebbles for a key on its way are passed around until the key has
// arrived. None is lost.
//
// A rank keeps 16 bytes for each key that has left its home or come from elsewhere, in pages of eight consecutive keys
// and about 170 bytes: give consecutive numbers to keys that move together. Then a move costs less than two plain
// pebbles of its size (BenchmarkMoves). Pebbles for a directory's keys always travel directly: a hop with older
// information than the hop before could send them back.
type Directory[S any] struct {
	base    distribution.Map
	keys    *distribution.Directory
	rank    *pebble.Rank
	depart  func(key uint64) S
	moves   *Target[move[S]]
	news    *Target[moved]
	running bool          // a batch of pebbles to keys of this directory is being handled
	waiting []pendingMove // moves until the end of the batch
}

// move carries a key and its state to its new owner.
type move[S any] struct {
	Key, Version uint64
	To           uint32
	State        S
}

// moved tells the home of a key its new owner.
type moved struct {
	Key, Version uint64
	At           uint32
}

// promptly makes a target whose flushed pebbles never wait for an idle rank: they travel directly, in buffers of their
// rank alone; without credit, they leave as soon as credit comes.
var promptly = option(func(s *settings) { s.topology, s.prompt = route.Direct, true })

// pendingMove is a move requested by a handler whose batch may have more pebbles for the key.
type pendingMove struct {
	key uint64
	to  int
}

// NewDirectory registers a directory over a base distribution. When a key moves, depart removes its state at the old
// owner, and arrive stores it at the new one. Both run on their rank's goroutine like handlers, and must not send. S is
// plain data, or the options hold a codec for it ([Coded]).
func NewDirectory[S any](r *pebble.Rank, name string, base distribution.Map, depart func(key uint64) S,
	arrive func(key uint64, state S), options ...Option) *Directory[S] {
	if base == nil || depart == nil || arrive == nil {
		r.Inside(frame.Access{}).Refuse(name, "a directory needs a base distribution and the functions depart and arrive")
	}
	d := &Directory[S]{base: base, keys: distribution.NewDirectory(base, r.ID()), rank: r, depart: depart}
	ranks := distribution.Ranks(r.Size())
	d.moves = New(r, name+" moves", ranks, Keys(func(ms []move[S], keys []uint64) {
		for i := range ms {
			keys[i] = uint64(ms[i].To)
		}
	}), Batch(func(ms []move[S]) {
		for i := range ms {
			d.moves.core.running.at = i
			d.keys.Adopt(ms[i].Key, ms[i].Version)
			arrive(ms[i].Key, ms[i].State)
		}
	}), append(d.carried(name, options), promptly)...)
	d.news = New(r, name+" news", ranks,
		Key(func(s moved) uint64 { return uint64(d.Home(s.Key)) }),
		Each(func(s moved) { d.keys.Learn(s.Key, int(s.At), s.Version) }), promptly)
	return d
}

// Ranks implements distribution.Map.
func (d *Directory[S]) Ranks() int { return d.keys.Ranks() }

// Home returns the owner of a key in the base distribution.
func (d *Directory[S]) Home(key uint64) int { return d.keys.Home(key) }

// Owner implements distribution.Map: it returns the last owner of a key that this rank has recorded.
func (d *Directory[S]) Owner(key uint64) int { return d.keys.Owner(key) }

// Owners implements distribution.Batcher.
func (d *Directory[S]) Owners(keys []uint64, owners []uint32) int { return d.keys.Owners(keys, owners) }

// Owns reports whether this rank owns a key now.
func (d *Directory[S]) Owns(key uint64) bool { return d.keys.Owns(key) }

// Describe implements distribution.Describer.
func (d *Directory[S]) Describe() string { return d.keys.Describe() }

// carried replaces a codec for the state by one for moves.
func (d *Directory[S]) carried(name string, options []Option) []Option {
	state := codecs.NewItem[S]("state")
	given, others := codecs.Given(options)
	if err := codecs.Share(given, &state); err != nil {
		d.rank.Inside(frame.Access{}).Refuse(name, err.Error())
	}
	if !state.Coded() {
		return others
	}
	var m move[S] // 20 bytes precede the state
	return append(others, Coded(codecs.Pebbles[move[S]](codecs.Struct(reflect.TypeOf(m), codecs.Tag[[5]uint32](0),
		codecs.Field{At: unsafe.Offsetof(m.State), Value: state.Value}))))
}

// Move gives a key of this rank to rank to. The main function or a handler calls it, inside epochs. When Move returns,
// depart has taken the state, and the key is gone. In a handler of a target over this directory, the key stays until
// the running batch has been handled, since more of its pebbles may be for the key. Moving a key that is not here
// panics; moving it to its own rank does nothing.
//
// In the main function, Move first waits, as a send does, for credit and room in the budget, and runs handlers
// meanwhile; if one of them moves the key, that move counts. Moves of the main function share frames, as pebbles do;
// moves of a handler leave after its batch. A key on its way waits for nothing but credit.
func (d *Directory[S]) Move(key uint64, to int) {
	d.checkMove(key, to)
	e := d.moves.core.engine
	if inBody, due := e.BeginBodySend(); inBody {
		if waited := d.wait(due); !waited || d.Owns(key) { // handlers may have run
			d.move(key, to)
		}
		return
	}
	if e.EnterSend() {
		d.moves.core.awaitRoom(of([]move[S]{{Key: key, To: uint32(to)}}))
	}
	switch {
	case d.running:
		d.waiting = append(d.waiting, pendingMove{key, to})
	case d.Owns(key): // a task may have waited
		d.move(key, to)
		d.hurry()
	}
}

func (d *Directory[S]) checkMove(key uint64, to int) {
	e := d.moves.core.engine.Rank
	e.CheckFreed("Move was called")
	if !d.Owns(key) {
		e.Misuse("target", "Move of key %d, which is at rank %d: only a key's owner can move it", key, d.Owner(key))
	}
	if to < 0 || to >= d.Ranks() {
		e.Misuse("target", "Move of key %d to rank %d: ranks are 0 to %d", key, to, d.Ranks()-1)
	}
}

// wait lets the main function wait before a move, while the key is still here: if the move would send the gathered
// ones, until they have credit. It reports whether handlers may have run.
func (d *Directory[S]) wait(due bool) (waited bool) {
	full := d.moves.core.inner.buffer.fillsNext() || d.news.core.inner.buffer.fillsNext()
	if !due && !full {
		return false
	}
	e := d.moves.core.engine
	if due {
		e.SendDue()
	}
	if full {
		e.Begin()
		e.AwaitCredits()
		d.news.core.engine.AwaitCredits()
		e.End()
	}
	return true
}

func (d *Directory[S]) beforeBatch() { d.running = true }

// afterBatch performs the moves that the batch's handler requested.
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

// hurry sends the moves of handlers and tasks at once, or as soon as they have credit. A pebble for a key on its way is
// passed around until the key has arrived. It keeps its ranks from being idle and frames in flight: so the key must not
// wait for an idle rank, here or at a hop, nor for the budget. Moves of the main function gather until its rank next
// looks for due buffers: until then it handles no pebble, and no other rank has the key's new owner.
func (d *Directory[S]) hurry() {
	d.moves.Flush()
	d.news.Flush()
}

// move sends a key without waiting; neither depart nor the send waits.
func (d *Directory[S]) move(key uint64, to int) {
	self := d.rank.ID()
	if to == self {
		return
	}
	before := d.moves.core.engine.Handle(0)
	state := d.depart(key)
	version := d.keys.Release(key, to)
	gather(d.moves.core, move[S]{Key: key, Version: version, To: uint32(to), State: state})
	if home := d.Home(key); home != self && home != to {
		gather(d.news.core, moved{Key: key, Version: version, At: uint32(to)})
	}
	d.moves.core.engine.Handled(before)
}
