package sim

import (
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/pending"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// exposure is the exposed memory of all processes of a world: one segment, used only by the world.
type exposure struct {
	space *exposed.Space    // nil before the first use
	user  exposed.User      // of the space
	owner map[uint64]uint32 // exposing process, by key
}

// entriesMax is the maximum number of exposures in a world at a time, for all its processes: 256 MiB of address space.
const entriesMax = 1 << 22

// open reserves the segment. The world is locked.
func (e *exposure) open() error {
	if e.space != nil {
		return nil
	}
	space := exposed.NewSpace(0, 1, entriesMax)
	own, err := space.Own()
	if err != nil {
		return err
	}
	e.space, e.user, e.owner = space, own.User(0), map[uint64]uint32{}
	return nil
}

// perform does an operation immediately. The world is locked.
func (e *exposure) perform(op *local.Operation) exposed.Fault {
	if e.space == nil {
		return exposed.Unknown
	}
	if by, ok := e.owner[op.Key]; ok && by != op.Process {
		return exposed.Unknown
	}
	return op.Perform(e.user, e.space.Near(0))
}

// oneSided is the simulated part of a rank's access to exposed memory, which treats all memory as far. An operation on
// memory of the rank's own process is done immediately and takes a nanosecond, so a rank that polls its own word lets
// others run. Other operations travel as two frames, a request and an answer, at the cost of frames to the rank. The
// network serves a request on arrival, at no cost to a rank there.
type oneSided struct {
	*local.OneSided
	rank    *rank
	fences  pending.Fences[*netio.Completion] // of operations that went over the network
	results heap[outcome]
	hidden  hidden
}

// outcome is the result of an operation, on its way back.
type outcome struct {
	at     instant
	number uint64
	fenced uint64 // number of the operation for fences; 0 while its put is hidden
	class  class
	bytes  uint32
	of     local.Operation // has no completion when the operation is already done
	cause  error
}

func (a outcome) before(o outcome) bool { return a.at < o.at || a.at == o.at && a.number < o.number }

// access is the key to the transports' parts of netio.
var access frame.Access

var (
	_ netio.OneSided = (*oneSided)(nil)
	_ local.Far      = (*oneSided)(nil)
)

// OneSided implements [netio.Port].
func (r *rank) OneSided() netio.OneSided {
	if r.oneSided == nil {
		o := &oneSided{rank: r}
		o.OneSided = local.NewOneSided(r.id, r.world.layout.place, nil, o)
		r.oneSided = o
	}
	return r.oneSided
}

// Expose implements [netio.OneSided].
func (o *oneSided) Expose(bytes int) (netio.Address, []byte, error) {
	w, process := o.rank.world, uint32(o.rank.process.place.Process)
	w.mu.Lock()
	defer w.mu.Unlock()
	a := netio.Address{Process: process}
	err := w.exposure.open()
	var memory []byte
	if err == nil {
		a.Key, memory, err = w.exposure.space.Expose(bytes)
	}
	if err != nil {
		return a, nil, &netio.AddressError{Rank: o.rank.id, Call: "Expose", Address: a, Bytes: bytes, Cause: err}
	}
	w.exposure.owner[a.Key] = process
	return a, memory, nil
}

// Withdraw implements [netio.OneSided].
func (o *oneSided) Withdraw(a netio.Address) error {
	w := o.rank.world
	w.mu.Lock()
	defer w.mu.Unlock()
	e := &w.exposure
	var cause error = exposed.Unknown
	if by, ok := e.owner[a.Key]; int(a.Process) != o.rank.process.place.Process {
		cause = local.ErrForeign
	} else if e.space != nil && (!ok || by == a.Process) {
		if cause = e.space.Withdraw(a.Key); cause == exposed.None {
			delete(e.owner, a.Key)
			return nil
		}
	}
	return &netio.AddressError{Rank: o.rank.id, Call: "Withdraw", Address: a, Cause: cause}
}

// Near implements [netio.OneSided].
func (o *oneSided) Near(a netio.Address, n int) ([]byte, error) {
	w := o.rank.world
	w.mu.Lock()
	defer w.mu.Unlock()
	var cause error
	switch by, ok := w.exposure.owner[a.Key]; {
	case int64(a.Process) >= int64(w.layout.place.Processes):
		cause = local.ErrNoProcess
	case int(a.Process) != o.rank.process.place.Process:
		return nil, nil
	case w.exposure.space == nil || ok && by != a.Process:
		cause = exposed.Unknown
	default:
		memory, fault := w.exposure.user.Near(w.exposure.space.Near(0), exposed.Place{Key: a.Key, Offset: a.Offset}, n)
		if fault == exposed.None {
			return memory, nil
		}
		cause = fault
	}
	return nil, &netio.AddressError{Rank: o.rank.id, Call: "Near", Address: a, Bytes: n, Cause: cause}
}

// MoveWords implements [local.Far].
func (o *oneSided) MoveWords(k local.Kind, a netio.Address, words []exposed.Word, c *netio.Completion) {
	local.StartWords(o, k, a, words, c)
}

// Fence implements [local.Far]. An answered operation is visible.
func (o *oneSided) Fence(c *netio.Completion) {
	o.revealAll()
	if o.fences.Wait(c) {
		c.Inside(access).Begin(1)
	}
}

// Open implements [local.Far].
func (o *oneSided) Open() int { return o.fences.Open() }

// Start implements [local.Far]. It does an operation on the process's own memory immediately.
func (o *oneSided) Start(op local.Operation) {
	r, w := o.rank, o.rank.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if cause := o.refuse(&op); cause != nil {
		op.Completion.Inside(access).Fail(op.Error(r.id, cause))
	} else if int(op.Process) != r.process.place.Process {
		o.send(op)
	}
}

// refuse does an operation on the process's own memory. It returns the cause if an operation is impossible.
func (o *oneSided) refuse(op *local.Operation) error {
	r, w := o.rank, o.rank.world
	switch {
	case r.process.down:
		return local.ErrEnded
	case int(op.Process) == r.process.place.Process:
		r.pay()
		r.clock += nanosecond
		r.sync()
		if r.process.down { // meanwhile
			return local.ErrEnded
		}
		if fault := w.exposure.perform(op); fault != exposed.None {
			return fault
		}
	}
	return nil
}

// send sends a request. The world is locked.
func (o *oneSided) send(op local.Operation) {
	r, w := o.rank, o.rank.world
	r.pay()
	r.sync()
	r.preempt()
	to := &w.ranks[w.processes[op.Process].place.First]
	k := w.layout.class(r.id, to.id)
	request, answer := sizes(&op)
	op.Completion.Inside(access).Begin(1)
	number := o.fences.Start()
	o.hidden.started = number
	r.clock += w.charges.ofEnd(k, request, true)
	w.stats.Frames += 2 // one in each direction
	w.stats.Bytes += uint64(request) + uint64(answer)
	at, never := w.faults.late(r, to, w.links.transit(r.clock, r, to, k, request))
	if never {
		return // the job ends
	}
	w.plan(at, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		res := outcome{fenced: number, bytes: answer, class: k, of: op}
		if to.process.down {
			res.cause = op.Error(r.id, local.Lost(w.layout.place, int(op.Process)))
		} else if fault := o.arrive(&res); fault != exposed.None {
			res.cause = op.Error(r.id, fault)
		}
		if res.at, never = w.faults.late(to, r, w.links.transit(w.now, to, r, k, answer)); !never {
			o.tell(res)
		}
	})
}

// tell queues an outcome for the rank. The world is locked.
func (o *oneSided) tell(res outcome) {
	r, w := o.rank, o.rank.world
	res.number = w.number()
	o.results.push(res)
	if r.parked {
		w.queue.sooner(r.id, max(r.clock, res.at))
	}
}

// sizes returns the bytes of a request and of its answer: an address, operands, and the data of a Put or Get.
func sizes(op *local.Operation) (request, answer uint32) {
	const address, words = 24, 16
	n := uint32(op.Bytes())
	switch op.Kind {
	case local.Get:
		return address, n
	case local.Put:
		return address + n, 0
	}
	return address + words, n
}

// collect ends the operations whose results have arrived. The world is locked.
func (o *oneSided) collect() {
	r := o.rank
	for len(o.results) > 0 && o.results[0].at <= r.clock {
		res := o.results.pop()
		r.clock += r.world.charges.ofEnd(res.class, res.bytes, true)
		r.returned = true
		if res.of.Completion != nil {
			res.of.Completion.Inside(access).End(1, res.cause)
		}
		if res.fenced != 0 {
			o.fences.End(res.fenced, func(c *netio.Completion) { c.Inside(access).End(1, nil) })
		}
	}
}
