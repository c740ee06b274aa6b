package memory

import (
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/target"
)

// An access to memory of another process whose address is not in the cache is a question to its owner, which does what
// is asked where the memory is, and answers with the address as well (XLUPC, section 3). What is too long for a pebble
// is moved by the asker, by that address.

// request is what a question asks for.
type request uint32

const (
	getting request = iota
	putting
	adding
	swapping
	comparing
	forgetting // an address: the object has been freed
	queueing   // for a lock, behind a turn of the rank that is asked. The answer comes when that turn ends
)

// inlineBytes is what a question or an answer carries at most.
const inlineBytes = 64

type question struct {
	To, From, Slot uint32 // rank, rank, and access there
	Request        request
	Of             handle
	Kind           uint64 // of the elements; 0 where all ranks know it
	Offset, Bytes  uint64 // in the part of the rank that is asked
	Data           [inlineBytes / exposed.WordBytes]uint64
}

type answer struct {
	To, Slot   uint32
	Refusal    refusal
	_          uint32
	Key, Base  uint64 // the address of what was exposed at once
	Size, Part uint64 // its bytes, and where the part of the rank begins that was asked
	Data       [inlineBytes / exposed.WordBytes]uint64
}

// spot is where an access goes: an address, or what its owner is asked for.
type spot struct {
	known  bool
	at     netio.Address
	owner  int
	of     handle
	kind   uint64
	offset uint64
}

// access is one that its owner was asked for.
type access struct {
	spot
	request
	buf    []byte // to be filled, or written
	old    *uint64
	c      *netio.Completion // nil for forgetting
	object *object           // that is to be forgotten
	after  uint64            // as many fences
}

// vacant reports whether it is none.
func (x *access) vacant() bool { return x.c == nil && x.object == nil }

// fence waits for accesses that have begun before it.
type fence struct {
	number uint64
	left   int
	c      *netio.Completion
}

// questioner is a rank's end of questions and answers.
type questioner struct {
	questions *target.Target[question]
	answers   *target.Target[answer]
	asked     []access
	spare     []uint32 // those of asked that are free
	open      int      // those that are not
	fences    []fence
	fenced    uint64 // how many fences there were
	back      []answer
	served    netio.Completion // of what questions ask for
}

// beyond is how much longer than a declared depth chains may be that end in an access: by its question and the answer.
const beyond = 2

// batch is how many questions share a frame.
const batch = 64

func (s *Space) openQuestions() {
	ranks, serving := distribution.Ranks(s.rank.Size()), engine.Serving(beyond).(target.Option)
	s.questions = target.New(s.rank, "memory", ranks,
		target.Key(func(q question) uint64 { return uint64(q.To) }), target.Batch(s.serve),
		target.Coalesce(batch), serving)
	s.answers = target.New(s.rank, "memory answers", ranks,
		target.Key(func(a answer) uint64 { return uint64(a.To) }), target.Batch(s.take),
		target.Coalesce(batch), serving)
}

func (s *Space) get(to spot, dst []byte, c *netio.Completion) {
	if to.known {
		s.memory.Get(to.at, dst, c)
		return
	}
	s.ask(access{spot: to, request: getting, buf: dst, c: c}, 0, 0)
}

func (s *Space) put(to spot, src []byte, c *netio.Completion) {
	if to.known {
		s.memory.Put(to.at, src, c)
		return
	}
	s.ask(access{spot: to, request: putting, buf: src, c: c}, 0, 0)
}

// word begins an operation on a word.
func (s *Space) word(to spot, r request, a, b uint64, old *uint64, c *netio.Completion) {
	if to.known {
		s.wordAt(to.at, r, a, b, old, c)
		return
	}
	s.ask(access{spot: to, request: r, old: old, c: c}, a, b)
}

func (s *Space) wordAt(at netio.Address, r request, a, b uint64, old *uint64, c *netio.Completion) {
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
		x.c.Inside(frame.Access{}).Begin()
	}
	s.counts.Pebbles += 2
	if x.request != queueing { // which fences do not wait for
		x.after = s.fenced
		s.open++
	}
	slot := uint32(len(s.asked))
	if n := len(s.spare); n > 0 {
		slot, s.spare = s.spare[n-1], s.spare[:n-1]
		s.asked[slot] = x
	} else {
		s.asked = append(s.asked, x)
	}
	q := question{
		To: uint32(x.owner), From: uint32(s.rank.ID()), Slot: slot, Request: x.request,
		Of: x.of, Kind: x.kind, Offset: x.offset,
	}
	switch x.request {
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
	s.questions.Send(q)
}

func bytesOf(data *[inlineBytes / exposed.WordBytes]uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(data)), inlineBytes)
}

// serve answers questions. It is a handler.
func (s *Space) serve(qs []question) {
	s.back = s.back[:0]
	for i := range qs {
		if qs[i].Request == queueing && !s.queue(&qs[i]) {
			continue
		}
		s.back = append(s.back, answer{To: qs[i].From, Slot: qs[i].Slot})
		s.reply(&qs[i], &s.back[len(s.back)-1])
	}
	s.answers.SendAll(s.back)
}

// reply does what is asked for, and fills in the answer.
func (s *Space) reply(q *question, a *answer) {
	switch q.Request {
	case queueing:
		return
	case forgetting:
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
		o.given[int(s.directory.process[q.From])] = true
	}
	a.Key, a.Base, a.Size, a.Part = o.base.Key, o.base.Offset, o.bytes, uint64(part)
	c := &s.served // all of this is near, and done at once
	switch at := o.base.Plus(part + int(q.Offset)); {
	case q.Request >= adding:
		s.wordAt(at, q.Request, q.Data[0], q.Data[1], &a.Data[0], c)
	case q.Bytes > inlineBytes:
	case q.Request == getting:
		s.memory.Get(at, bytesOf(&a.Data)[:q.Bytes], c)
	default:
		s.memory.Put(at, bytesOf(&q.Data)[:q.Bytes], c)
	}
	if err := c.Err(); err != nil {
		s.engine.Fail(fmt.Errorf("memory: %w", err))
	}
}

// forget drops the address of an object that was freed.
func (s *Space) forget(h handle) {
	if s.directory.remote != nil {
		s.directory.remote.Drop(func(key uint64) bool { return key == uint64(h) })
	}
}

// take takes answers. It is a handler.
func (s *Space) take(as []answer) {
	for i := range as {
		a := &as[i]
		if int(a.Slot) >= len(s.asked) || s.asked[a.Slot].vacant() {
			s.engine.Fail(fmt.Errorf("memory: rank %d: there are answers that nobody waits for: "+
				"pebbles were repeated, altered or misplaced", s.rank.ID()))
		}
		x := s.asked[a.Slot]
		s.asked[a.Slot] = access{}
		s.spare = append(s.spare, a.Slot)
		s.finish(&x, a)
		if x.request != queueing {
			s.open--
			s.pass(x.after)
		}
	}
}

// finish ends an access by its answer.
func (s *Space) finish(x *access, a *answer) {
	switch {
	case x.request == forgetting:
		s.forgotten(x.object)
		return
	case x.request == queueing:
		x.c.Inside(frame.Access{}).End(nil)
		return
	case a.Refusal != none:
		x.c.Inside(frame.Access{}).End(a.Refusal.of(x.of))
		return
	}
	base := netio.Address{Process: s.directory.process[x.owner], Key: a.Key, Offset: a.Base}
	s.learn(x, base, a.Size)
	at := base.Plus(int(a.Part + x.offset))
	switch {
	case x.request >= adding:
		if x.old != nil {
			*x.old = a.Data[0]
		}
	case len(x.buf) > inlineBytes && x.request == getting:
		s.memory.Get(at, x.buf, x.c)
	case len(x.buf) > inlineBytes:
		s.memory.Put(at, x.buf, x.c)
	case x.request == getting:
		copy(x.buf, bytesOf(&a.Data))
	}
	x.c.Inside(frame.Access{}).End(nil)
}

// learn keeps an address in the cache.
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
		e.first, e.offsets = a.(spread).layOut(int(base.Process))
	}
	near, err := s.memory.Near(base, int(size))
	if err != nil {
		return // it was freed meanwhile, or its process is lost, which the access is told
	}
	e.near = near
	d.remote.Add(key, e)
}

// alone are the offsets of one part.
var alone = []int{0}

// spread is what all ranks have allocated.
type spread interface {
	// layOut tells where the parts of a process's ranks lie, in what it exposes at once: the first of these ranks, and
	// the offsets, to the end.
	layOut(process int) (first int, offsets []int)
}

// fenceAsked has c count until all accesses that are asked for now are done.
func (s *Space) fenceAsked(c *netio.Completion) {
	if s.open == 0 {
		return
	}
	s.fenced++
	c.Inside(frame.Access{}).Begin()
	s.fences = append(s.fences, fence{s.fenced, s.open, c})
}

// pass tells the fences that an access is done which came after so many of them.
func (s *Space) pass(after uint64) {
	kept := s.fences[:0]
	for _, f := range s.fences {
		if f.number > after {
			f.left--
		}
		if f.left > 0 {
			kept = append(kept, f)
		} else {
			f.c.Inside(frame.Access{}).End(nil)
		}
	}
	s.fences = kept
}
