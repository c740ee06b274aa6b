package memory

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/internal/request"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/target"
)

// An access to memory of another process whose address is not in the cache is a question to its owner. The owner
// performs the access, and answers with the address as well (XLUPC, section 3). The asker moves data that is too long
// for a pebble, by that address.

// The pebbles of a question, which is a pending access of its rank.
type (
	asked    = request.Request[question, request.Address]
	answered = request.Reply[answer, request.Address]
)

// operation is the kind of access of a question.
type operation uint32

const (
	getting operation = iota
	putting
	adding
	swapping
	comparing
	forgetting // drop an address: the object has been freed
)

// inlineBytes is the largest size of data in a question or an answer.
const inlineBytes = 64

type question struct {
	To            uint32 // the owner
	What          operation
	Of            handle
	Kind          uint64 // of the elements; 0 for arrays, whose type all ranks share
	Offset, Bytes uint64 // in the part of the owner
	Data          [inlineBytes / exposed.WordBytes]uint64
}

type answer struct {
	Refusal    refusal
	Process    uint32 // of the address
	Key, Base  uint64 // address of the exposed piece
	Size, Part uint64 // its bytes, and the offset of the owner's part
	Data       [inlineBytes / exposed.WordBytes]uint64
}

// spot is the place of an access: an address, or the owner's name for it.
type spot struct {
	known  bool
	at     netio.Address
	owner  int
	of     handle
	kind   uint64
	offset uint64
}

// access is an access that was sent to its owner.
type access struct {
	spot
	what   operation
	buf    []byte // to fill, or to write
	old    *uint64
	c      *netio.Completion // nil for forgetting
	object *object           // object to forget
	number uint64            // number for the fences
}

// questioner is a rank's end of questions and answers.
type questioner struct {
	exchange *target.Exchange[asked, answered]
	accesses pending.Table[access]             // pending at owners
	fences   pending.Fences[*netio.Completion] // for pending accesses
	served   netio.Completion                  // of operations for questions
}

// beyond is the length that a question and its answer add to a declared depth.
const beyond = 2

// batch is the number of questions in a frame.
const batch = 64

func (s *Space) openQuestions() {
	options := []target.Option{target.Coalesce(batch), target.Serving(frame.Access{}, beyond)}
	s.exchange = target.NewExchange(frame.Access{}, s.rank, "memory", target.Exchanging[asked, answered]{
		Owner: distribution.Ranks(s.rank.Size()), Keys: target.Key(func(q asked) uint64 { return uint64(q.Q.To) }),
		Serve: s.serve, Asking: options, Ranks: request.Ranks[answer], Take: s.arrive, Replying: options,
	})
}

// move begins to read or write elements.
func (s *Space) move(to spot, way operation, buf []byte, c *netio.Completion) {
	if to.known {
		s.moveAt(to.at, way, buf, c)
		return
	}
	s.ask(access{spot: to, what: way, buf: buf, c: c}, 0, 0)
}

func (s *Space) moveAt(at netio.Address, way operation, buf []byte, c *netio.Completion) {
	if way == getting {
		s.memory.Get(at, buf, c)
	} else {
		s.memory.Put(at, buf, c)
	}
}

// wordMover is implemented by the access of all transports to exposed memory.
type wordMover interface {
	GetWords(frame.Access, netio.Address, []exposed.Word, *netio.Completion)
	PutWords(frame.Access, netio.Address, []exposed.Word, *netio.Completion)
}

// moveWords begins to move words of the part of an owner, and returns the emptied slice.
func (s *Space) moveWords(at netio.Address, way operation, words []exposed.Word, w *wait) (room []exposed.Word) {
	if len(words) == 0 {
		return words
	}
	mover, many := s.memory.(wordMover)
	switch {
	case many && way == getting:
		mover.GetWords(frame.Access{}, at, words, &w.c)
	case many:
		mover.PutWords(frame.Access{}, at, words, &w.c)
	default:
		for _, one := range words {
			at.Offset = one.Offset
			s.moveAt(at, way, one.Data[:], &w.c)
		}
	}
	clear(words) // releases the caller's memory
	return words[:0]
}

// word begins an operation on a word.
func (s *Space) word(to spot, r operation, a, b uint64, old *uint64, c *netio.Completion) {
	if to.known {
		s.wordAt(to.at, r, a, b, old, c)
		return
	}
	s.ask(access{spot: to, what: r, old: old, c: c}, a, b)
}

func (s *Space) wordAt(at netio.Address, r operation, a, b uint64, old *uint64, c *netio.Completion) {
	switch r {
	case adding:
		s.memory.Add(at, a, old, c)
	case swapping:
		s.memory.Swap(at, a, old, c)
	default:
		s.memory.CompareAndSwap(at, a, b, old, c)
	}
}

// ask sends a question.
func (s *Space) ask(x access, a, b uint64) {
	if x.c != nil {
		x.c.Inside(frame.Access{}).Begin(1)
	}
	s.counts.Pebbles += 2
	x.number = s.fences.Start()
	if s.accesses.Full(request.CallsMax) {
		s.misuse("%d accesses wait for answers, which is the most: wait for some before others start", s.accesses.Len())
	}
	q := question{To: uint32(x.owner), What: x.what, Of: x.of, Kind: x.kind, Offset: x.offset}
	switch x.what {
	case getting:
		q.Bytes = uint64(len(x.buf))
	case putting:
		q.Bytes = uint64(len(x.buf))
		if len(x.buf) <= inlineBytes {
			copy(bytesOf(&q.Data), x.buf)
		}
	default:
		q.Bytes = exposed.WordBytes
		q.Data[0], q.Data[1] = a, b
	}
	s.exchange.Questions.Send(asked{Q: q, From: request.NewAddress(s.rank.ID(), s.accesses.Add(x))})
}

func bytesOf(data *[inlineBytes / exposed.WordBytes]uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(data)), inlineBytes)
}

// serve answers questions. It is a handler.
func (s *Space) serve(qs []asked, back []answered) []answered {
	for i := range qs {
		q, from := &qs[i].Q, qs[i].From
		back = append(back, answered{To: from})
		s.reply(q, int(from.Rank()), &back[len(back)-1].A)
	}
	return back
}

// reply performs the access, and fills in the answer.
func (s *Space) reply(q *question, from int, a *answer) {
	if q.What == forgetting {
		s.forget(q.Of)
		return
	}
	o := s.directory.find(q.Of)
	if o == nil {
		a.Refusal = wasFreed
		return
	}
	part, room := o.part(s.rank.ID())
	if a.Refusal = o.allows(q.Kind, q.Offset, q.Bytes, room); a.Refusal != none {
		return
	}
	if o.given != nil && s.directory.remote != nil {
		o.given[int(s.directory.process[from])] = true
	}
	a.Process, a.Key, a.Base, a.Size, a.Part = o.base.Process, o.base.Key, o.base.Offset, o.bytes, uint64(part)
	c := &s.served // all of this is near, and done at once
	switch at := o.base.Plus(part + int(q.Offset)); {
	case q.What >= adding:
		s.wordAt(at, q.What, q.Data[0], q.Data[1], &a.Data[0], c)
	case q.Bytes > inlineBytes:
	case q.What == getting:
		s.memory.Get(at, bytesOf(&a.Data)[:q.Bytes], c)
	default:
		s.memory.Put(at, bytesOf(&q.Data)[:q.Bytes], c)
	}
	if err := c.Err(); err != nil {
		s.engine.Fail(fmt.Errorf("memory: %w", err))
	}
}

// forget drops the address of a freed object.
func (s *Space) forget(h handle) {
	if s.directory.remote != nil {
		s.directory.remote.Drop(func(key uint64) bool { return key == uint64(h) })
	}
}

// arrive is the handler of answers.
func (s *Space) arrive(as []answered) {
	for i := range as {
		n := as[i].To.Call()
		if s.accesses.At(n) == nil {
			s.engine.Fail(fmt.Errorf("memory: rank %d: %w", s.rank.ID(), request.ErrStray))
		}
		x := s.accesses.Remove(n)
		s.finish(&x, &as[i].A)
		s.fences.End(x.number, func(c *netio.Completion) { c.Inside(frame.Access{}).End(1, nil) })
	}
}

// finish ends an access by its answer.
func (s *Space) finish(x *access, a *answer) {
	switch {
	case x.what == forgetting:
		s.forgotten(x.object)
		return
	case a.Refusal != none:
		x.c.Inside(frame.Access{}).End(1, a.Refusal.of(x.of))
		return
	}
	base := netio.Address{Process: a.Process, Key: a.Key, Offset: a.Base}
	s.learn(x, base, a.Size)
	at := base.Plus(int(a.Part + x.offset))
	switch {
	case x.what >= adding:
		if x.old != nil {
			*x.old = a.Data[0]
		}
	case len(x.buf) > inlineBytes && x.what == getting:
		s.memory.Get(at, x.buf, x.c)
	case len(x.buf) > inlineBytes:
		s.memory.Put(at, x.buf, x.c)
	case x.what == getting:
		copy(x.buf, bytesOf(&a.Data))
	}
	x.c.Inside(frame.Access{}).End(1, nil)
}

// learn stores an address in the cache.
func (s *Space) learn(x *access, base netio.Address, size uint64) {
	d := s.directory
	if d.remote == nil {
		return
	}
	key := d.key(x.of, x.owner)
	if d.remote.Get(key) != nil {
		return
	}
	e := &entry{base: base, first: x.owner, offsets: alone, kind: x.kind, bytes: size}
	if x.of.partition() == d.place.Ranks {
		a, ok := s.known[x.of.index()]
		if !ok {
			return // it was freed meanwhile
		}
		e.first, e.offsets = a.(spread).layOut(int(d.process[x.owner]))
	}
	near, err := s.memory.Near(base, int(size))
	if err != nil {
		return // it was freed meanwhile, or its process is lost, which the access reports
	}
	e.near = near
	d.remote.Add(key, e)
}

// alone has the offsets of one part.
var alone = []int{0}

// spread is a common allocation of all ranks.
type spread interface {
	// layOut returns the layout of the parts of a process's ranks in its exposed piece: the first of these ranks, and
	// the offsets, to the end.
	layOut(process int) (first int, offsets []int)
}

// fenceAsked adds to c the end of all pending accesses at owners.
func (s *Space) fenceAsked(c *netio.Completion) {
	if s.fences.Wait(c) {
		c.Inside(frame.Access{}).Begin(1)
	}
}
