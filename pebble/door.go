package pebble

import (
	"fmt"
	"hash/crc32"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Endpoint is what the runtime asks of a target. It is called once a frame, never once a pebble. Package target has the
// typed ones; programs need not implement it.
type Endpoint interface {
	// Accepts tells whether the frame can be taken in now. A frame whose pebbles may have to go on over a link that waits for
	// credit must wait itself, so that its sender is held back.
	Accepts(f *netio.Frame) bool
	// Deliver handles the pebbles of a frame that are home, and passes the others on. The frame stays the caller's.
	Deliver(f *netio.Frame) error
	// Drain handles what handlers had sent to this rank when it was called.
	Drain()
	// Pump sends frames that have waited for credit, as far as it has come.
	Pump()
	// Flush sends what waits in caches, and in buffers for links of a stage up to the given one. It tells whether it has moved
	// anything, and whether something is left that it should have sent and that waits for credit.
	Flush(why Reason, stage int) (sent, left bool)
	// FlushDue sends the buffers that are due.
	FlushDue(now time.Duration)
	// Back tells whether all frames that were sent have been handled by their receivers.
	Back() bool
	// Reroute moves pebbles that wait for a link which has been marked down to other links.
	Reroute() error
	// Retune takes over a new setting, as far as the target's options leave it open. It comes between epochs.
	Retune(s Setting)
	// Refactor is Retune for the coalescing factor alone, within an epoch, on the main function's side.
	Refactor(factor int)
	// EndEpoch forgets what a reduction remembers. Nothing waits any more.
	EndEpoch()
}

// Description is what ranks compare of a target: it must be equal on all.
type Description struct {
	Name     string // unique in the job
	Schema   string // of the pebble type
	Settings string // distribution, topology, and whatever else must be equal

	Topology route.Topology // how the target's pebbles travel
	Moving   bool           // keys may move while an epoch runs, and their pebbles after them
	Frame    int            // bytes of a full buffer
	Cache    int64          // bytes of the reduction cache
	Tunes    Tunes          // what may be changed while the job runs
	Pebble   int            // bytes of a pebble; 0 for coded ones
}

func (d Description) String() string {
	return fmt.Sprintf("target %q of %s, %s", d.Name, d.Schema, d.Settings)
}

// Door is how a target sends and receives on its rank. It is for that rank's goroutine.
type Door struct {
	*Rank
	name        string
	description Description
	index       uint16
	fingerprint uint32 // of the pebble type; every frame carries it
}

// targetsMax bounds the targets of a job: a frame names its target in 16 bits.
const targetsMax = 1 << 16

// Refuse ends the job with a [RegistrationError], and does not return.
func Refuse(r *Rank, target, reason string) {
	r.fail(&RegistrationError{Rank: r.id, Target: target, Reason: reason})
}

// Register adds a target to the rank and returns its door. A target that can't be registered ends the job with a
// [RegistrationError].
func Register(r *Rank, d Description, e Endpoint) *Door {
	call := fmt.Sprintf("target %q was registered", d.Name)
	r.ownedAnew(call)
	if in := r.mode; in != outside {
		r.misplaced(in, call, "rank %d: %s inside an epoch: register targets between epochs", r.id, call)
	}
	r.check()
	if d.Name == "" {
		Refuse(r, d.Name, "a target needs a name, which tells it from others in errors and logs")
	}
	for _, other := range r.doors {
		if other.name == d.Name {
			Refuse(r, d.Name, "a target of this name is registered already: give each its own name")
		}
	}
	if len(r.endpoints) == targetsMax {
		Refuse(r, d.Name, fmt.Sprintf("%d targets are registered, which is the most", targetsMax))
	}
	door := &Door{
		Rank: r, name: d.Name, description: d, index: uint16(len(r.endpoints)),
		fingerprint: crc32.Checksum([]byte(d.Schema), crc32.MakeTable(crc32.Castagnoli)),
	}
	r.endpoints = append(r.endpoints, e)
	r.doors = append(r.doors, door)
	return door
}

// Enter is the first thing that a send does: it tells whether a handler is sending, and ends the job outside of epochs and beside
// other calls.
func (d *Door) Enter() (inHandler bool) {
	d.owned(sent)
	switch in := d.mode; in {
	case body:
		return false
	case handler:
	default:
		d.misplaced(in, sent, "rank %d: target %q: a pebble was sent outside of an epoch: send inside the function given to Rank.Epoch", d.id, d.name)
	}
	if d.limit > 0 && d.depth >= d.limit {
		d.tooDeep()
	}
	return true
}

const sent = "a pebble was sent"

// Begin says that a call that was entered does more than put a pebble aside, until End.
func (d *Door) Begin(inHandler bool) {
	if !inHandler {
		d.begin(sent, body)
		return
	}
	if d.mode != handler {
		d.Crowded()
	}
	d.mode = nested
}

// End ends what Begin began.
func (d *Door) End() {
	if d.mode.ofProgram() {
		d.Crowded()
	}
	d.mode--
}

// Flush is the program's own: it sends what the target holds back. Outside of epochs there is nothing.
func (d *Door) Flush(e Endpoint) {
	const call = "Flush was called"
	from := d.enter(call)
	if from == outside {
		d.mode = from
		misuse("rank %d: target %q: Flush was called outside of an epoch: an epoch's end sends all", d.id, d.name)
	}
	e.Flush(Explicit, AllStages)
	d.leave(call, from)
}

// Crowded ends the job: a send has met another call.
func (d *Door) Crowded() { d.crossed(sent) }

// InBody tells whether the main function of an epoch is running, and no call of it.
func (d *Door) InBody() bool {
	d.owned(sent)
	return d.mode == body
}

// InHandler tells whether a handler is running.
func (d *Door) InHandler() bool { return d.mode >= handler }

// Topology is the one that the target was registered with.
func (d *Door) Topology() route.Topology { return d.description.Topology }

// Renew notes what has been changed of the target between epochs. Its lanes may be those of a topology that it had before, whose plan has
// not heard of marks since: the next epoch has all targets look at their plans.
func (d *Door) Renew(t route.Topology, frame int, cache int64) {
	d.linksSeen = d.links.Version() - 1
	d.Reserve(cache - d.description.Cache)
	d.description.Topology, d.description.Frame, d.description.Cache = t, frame, cache
}

// Handle marks that so many pebbles are about to be handled. Until Handled is called with what it returns, every send on
// this rank is one of a handler. Pebbles that come straight from the main function are the first of their chains.
func (d *Door) Handle(pebbles int) (before mode) {
	before = d.mode
	if before < handler {
		d.depth = 1
	}
	d.mode = handler
	d.handling = d
	d.counters.PebblesHandled += uint64(pebbles)
	return before
}

// Handled marks that the handlers announced to Handle have returned.
func (d *Door) Handled(before mode) {
	d.mode = before
	if before < handler {
		d.depth = 0
	}
}

// Count gives the target access to the rank's counters.
func (d *Door) Count() *Counters { return &d.counters }

// Attach lends a frame with room for so many bytes, for a lane to fill. It fails the job when the memory limit is passed.
func (d *Door) Attach(bytes int) *netio.Frame {
	f := d.lend(bytes)
	d.fill(f)
	return f
}

// AttachQueue lends a frame for pebbles that handlers send to this rank.
func (d *Door) AttachQueue(bytes int) *netio.Frame {
	f := d.lend(bytes)
	d.queued += f.Cost()
	return f
}

func (d *Door) lend(bytes int) *netio.Frame {
	cost := netio.FrameCost(bytes)
	if needed := d.pool.Held() + cost + d.reserved; needed > d.job.config.MemoryLimit {
		d.makeMemory(cost)
	}
	return d.pool.Get(bytes)
}

// makeMemory lets go of idle frames; if that is not enough, the job fails.
func (d *Door) makeMemory(cost int64) {
	d.pool.Trim()
	needed := d.pool.Lent() + cost + d.reserved
	if needed > d.job.config.MemoryLimit {
		cause := FromMain
		if d.InHandler() || d.queued > d.filling {
			cause = FromHandlers
		}
		d.fail(&LimitError{Rank: d.id, Target: d.name, Needed: needed, Limit: d.job.config.MemoryLimit, Cause: cause})
	}
}

// Affords tells whether a lane may have a frame of so many bytes in place of a small one: what fills may take half of what the
// memory limit leaves beside caches, so that frames under way have the other half.
func (d *Door) Affords(bytes int) bool {
	cost, limit := netio.FrameCost(bytes), d.job.config.MemoryLimit-d.reserved
	return d.filling+cost <= limit/2 && (d.pool.LentAtMost()+cost <= limit || d.pool.Lent()+cost <= limit)
}

// Withdraw takes a frame lent by Attach out of its lane's account.
func (d *Door) Withdraw(f *netio.Frame) { d.filled(f) }

// Adopt puts a frame that another rank of this process has lent into this rank's account of buffers, until Seal.
func (d *Door) Adopt(f *netio.Frame) { d.fill(f) }

// Common returns what the ranks of this process have in common for this target and a number; the first that asks makes it.
func (d *Door) Common(number int, make func() any) any {
	return d.job.common.get(d.index, number, make)
}

// Own says that an account of frames under way is this rank's alone.
func (d *Door) Own(account *netio.Account) { d.pool.Own(account) }

// Collect brings the accounts of frames under way up to date.
func (d *Door) Collect() { d.pool.Lent() }

// Alone tells whether no other rank of this process is about to send but in handlers: all their bodies of this epoch have
// returned, as far as can be told from how many have in all epochs.
func (d *Door) Alone() bool {
	return int32(d.job.bodies.Load()-d.epoch*uint32(len(d.job.ports))) >= 0
}

// Detach gives back a frame lent by Attach that is not sent.
func (d *Door) Detach(f *netio.Frame) {
	d.filled(f)
	f.Release()
}

// DetachQueue gives back a frame lent by AttachQueue.
func (d *Door) DetachQueue(f *netio.Frame) {
	d.queued -= f.Cost()
	f.Release()
}

// Reserve counts bytes that the target keeps for the whole job, such as a reduction cache, against the memory limit.
func (d *Door) Reserve(bytes int64) {
	d.reserved += bytes
	if d.reserved > d.job.config.MemoryLimit {
		d.fail(&LimitError{Rank: d.id, Target: d.name, Needed: d.reserved, Limit: d.job.config.MemoryLimit, Cause: FromCaches})
	}
}

// Room waits until a frame with room for so many bytes may be under way too, and handles what arrives meanwhile. It is
// for the main function's side.
func (d *Door) Room(bytes int) { d.room(netio.FrameCost(bytes)) }

// Seal makes a frame lent by Attach ready to leave for a neighbour, with count pebbles in the first bytes of its payload.
func (d *Door) Seal(f *netio.Frame, to, count, bytes int, why Reason) {
	d.filled(f)
	f.Kind, f.Target, f.Epoch, f.Check = netio.Data, d.index, d.epoch, d.fingerprint
	f.From, f.To, f.Count, f.Bytes = uint32(d.id), uint32(to), uint32(count), uint32(bytes)
	d.counters.left(why)
}

// Launch hands a sealed frame to the transport. The frame is gone afterwards; account counts it until its receiver has
// handled it.
func (d *Door) Launch(f *netio.Frame, account *netio.Account) {
	d.check()
	if d.ledger != nil {
		f.Tag = d.ledger.Create(int(f.To))
	}
	d.created++
	d.counters.FramesSent++
	d.counters.BytesSent += uint64(f.Bytes)
	f.Charge(account)
	d.port.Send(f)
}

// Backlog notes that so many more sealed frames wait for credit, or fewer.
func (d *Door) Backlog(frames int) {
	d.backlog += frames
	d.counters.CreditWaits += uint64(max(frames, 0))
}

// Turn is one turn of a wait on the main function's side: it handles what has arrived, or rests. idle is how many turns
// before it found nothing; it returns that number for the next.
func (d *Door) Turn(idle int) int {
	d.check()
	if d.turn() {
		return 0
	}
	d.counters.Waits++
	d.rest(idle)
	return idle + 1
}

// Progress handles what has arrived. It is for the main function's side.
func (d *Door) Progress() { d.progress() }

// Fetch brings what has arrived near, before Progress handles it.
func (d *Door) Fetch() { d.port.Fetch() }

// Settle handles what handlers have sent to this rank, until nothing is left. It is for the main function's side.
func (d *Door) Settle() {
	for d.queued > 0 {
		d.check()
		d.progress()
	}
}

// Spend notes that the main function has sent n pebbles, and now and then sends what is due. It comes after Begin.
func (d *Door) Spend(n int) { d.spend(n) }

// Pass is Spend for a pebble that is put aside: it comes without Begin.
func (d *Door) Pass() {
	if d.tick > 0 && d.pace.Spend(1) {
		d.Begin(false)
		d.flushDue()
		d.End()
	}
}

// Fail ends the job because of a pebble of this target, and does not return.
func (d *Door) Fail(cause error) {
	d.fail(fmt.Errorf("rank %d: target %q: %w", d.id, d.name, cause))
}

// Outside ends the job because of a key.
func (d *Door) Outside(key uint64, distribution string) {
	d.fail(&KeyError{Rank: d.id, Target: d.name, Key: key, Distribution: distribution})
}
