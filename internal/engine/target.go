package engine

import (
	"fmt"
	"hash/crc32"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
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
	Flush(why coalesce.Reason, stage int) (sent, left bool)
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

// Target is what the engine knows of a registered target, and the way in which that sends and receives on its rank.
type Target struct {
	*Rank
	name        string
	description Description
	index       uint16
	fingerprint uint32 // of the pebble type; every frame carries it
}

// targetsMax bounds the targets of a job: a frame names its target in 16 bits.
const targetsMax = 1 << 16

// Refuse ends the job because a target can't be registered, and does not return.
func (r *Rank) Refuse(target, reason string) {
	r.Fail(r.job.config.Errors.Registration(r.id, target, reason))
}

// Register adds a target to the rank. One that can't be registered ends the job.
func (r *Rank) Register(d Description, e Endpoint) *Target {
	call := fmt.Sprintf("target %q was registered", d.Name)
	r.ownedAnew(call)
	if in := r.mode; in != outside {
		r.misplaced(in, call, "rank %d: %s inside an epoch: register targets between epochs", r.id, call)
	}
	r.check()
	if d.Name == "" {
		r.Refuse(d.Name, "a target needs a name, which tells it from others in errors and logs")
	}
	for _, other := range r.targets {
		if other.name == d.Name {
			r.Refuse(d.Name, "a target of this name is registered already: give each its own name")
		}
	}
	if len(r.targets) == targetsMax {
		r.Refuse(d.Name, fmt.Sprintf("%d targets are registered, which is the most", targetsMax))
	}
	t := &Target{
		Rank: r, name: d.Name, description: d, index: uint16(len(r.targets)),
		fingerprint: crc32.Checksum([]byte(d.Schema), crc32.MakeTable(crc32.Castagnoli)),
	}
	r.endpoints = append(r.endpoints, e)
	r.targets = append(r.targets, t)
	return t
}

// Enter is the first thing that a send does: it tells whether a handler is sending, and ends the job outside of epochs and beside
// other calls.
func (t *Target) Enter() (inHandler bool) {
	t.owned(sent)
	switch in := t.mode; in {
	case body:
		return false
	case handler:
	default:
		t.misplaced(in, sent, "rank %d: target %q: a pebble was sent outside of an epoch: send inside the function given to Rank.Epoch", t.id, t.name)
	}
	if t.limit > 0 && t.depth >= t.limit {
		t.tooDeep()
	}
	return true
}

const sent = "a pebble was sent"

// Begin says that a call that was entered does more than put a pebble aside, until End.
func (t *Target) Begin(inHandler bool) {
	if !inHandler {
		t.begin(sent, body)
		return
	}
	if t.mode != handler {
		t.Crowded()
	}
	t.mode = nested
}

// End ends what Begin began.
func (t *Target) End() {
	if t.mode.ofProgram() {
		t.Crowded()
	}
	t.mode--
}

// Flush is the program's own: it sends what the target holds back. Outside of epochs there is nothing.
func (t *Target) Flush(e Endpoint) {
	const call = "Flush was called"
	from := t.enter(call)
	if from == outside {
		t.mode = from
		misuse("rank %d: target %q: Flush was called outside of an epoch: an epoch's end sends all", t.id, t.name)
	}
	e.Flush(coalesce.Explicit, AllStages)
	t.leave(call, from)
}

// Crowded ends the job: a send has met another call.
func (t *Target) Crowded() { t.crossed(sent) }

// InBody tells whether the main function of an epoch is running, and no call of it.
func (t *Target) InBody() bool {
	t.owned(sent)
	return t.mode == body
}

// InHandler tells whether a handler is running.
func (t *Target) InHandler() bool { return t.mode >= handler }

// Topology is the one that the target was registered with.
func (t *Target) Topology() route.Topology { return t.description.Topology }

// Renew notes what has been changed of the target between epochs. Its lanes may be those of a topology that it had before, whose plan has
// not heard of marks since: the next epoch has all targets look at their plans.
func (t *Target) Renew(topology route.Topology, frame int, cache int64) {
	t.linksSeen = t.links.Version() - 1
	t.Reserve(cache - t.description.Cache)
	t.description.Topology, t.description.Frame, t.description.Cache = topology, frame, cache
}

// Handle marks that so many pebbles are about to be handled. Until Handled is called with what it returns, every send on
// this rank is one of a handler. Pebbles that come straight from the main function are the first of their chains.
func (t *Target) Handle(pebbles int) (before mode) {
	before = t.mode
	if before < handler {
		t.depth = 1
	}
	t.mode = handler
	t.handling = t
	t.counters.PebblesHandled += uint64(pebbles)
	return before
}

// Handled marks that the handlers announced to Handle have returned.
func (t *Target) Handled(before mode) {
	t.mode = before
	if before < handler {
		t.depth = 0
	}
}

// Count gives the target access to the rank's counters.
func (t *Target) Count() *coalesce.Counters { return &t.counters }

// Attach lends a frame with room for so many bytes, for a lane to fill. It fails the job when the memory limit is passed.
func (t *Target) Attach(bytes int) *netio.Frame {
	f := t.lend(bytes)
	t.fill(f)
	return f
}

// AttachQueue lends a frame for pebbles that handlers send to this rank.
func (t *Target) AttachQueue(bytes int) *netio.Frame {
	f := t.lend(bytes)
	t.queued += f.Cost()
	return f
}

func (t *Target) lend(bytes int) *netio.Frame {
	cost := netio.FrameCost(bytes)
	if needed := t.pool.Held() + cost + t.reserved; needed > t.job.config.MemoryLimit {
		t.makeMemory(cost)
	}
	return t.pool.Get(bytes)
}

// makeMemory lets go of idle frames; if that is not enough, the job fails.
func (t *Target) makeMemory(cost int64) {
	t.pool.Trim()
	needed := t.pool.Lent() + cost + t.reserved
	if needed > t.job.config.MemoryLimit {
		cause := FromMain
		if t.InHandler() || t.queued > t.filling {
			cause = FromHandlers
		}
		t.Rank.Fail(t.job.config.Errors.Limit(t.id, t.name, needed, t.job.config.MemoryLimit, cause))
	}
}

// Affords tells whether a lane may have a frame of so many bytes in place of a small one: what fills may take half of what the
// memory limit leaves beside caches, so that frames under way have the other half.
func (t *Target) Affords(bytes int) bool {
	cost, limit := netio.FrameCost(bytes), t.job.config.MemoryLimit-t.reserved
	return t.filling+cost <= limit/2 && (t.pool.LentAtMost()+cost <= limit || t.pool.Lent()+cost <= limit)
}

// Withdraw takes a frame lent by Attach out of its lane's account.
func (t *Target) Withdraw(f *netio.Frame) { t.filled(f) }

// Adopt puts a frame that another rank of this process has lent into this rank's account of buffers, until Seal.
func (t *Target) Adopt(f *netio.Frame) { t.fill(f) }

// Common returns what the ranks of this process have in common for this target and a number; the first that asks makes it.
func (t *Target) Common(number int, make func() any) any {
	return t.job.common.get(t.index, number, make)
}

// Own says that an account of frames under way is this rank's alone.
func (t *Target) Own(account *netio.Account) { t.pool.Own(account) }

// Collect brings the accounts of frames under way up to date.
func (t *Target) Collect() { t.pool.Lent() }

// Alone tells whether no other rank of this process is about to send but in handlers: all their bodies of this epoch have
// returned, as far as can be told from how many have in all epochs.
func (t *Target) Alone() bool {
	return int32(t.job.bodies.Load()-t.epoch*uint32(len(t.job.ports))) >= 0
}

// Detach gives back a frame lent by Attach that is not sent.
func (t *Target) Detach(f *netio.Frame) {
	t.filled(f)
	f.Release()
}

// DetachQueue gives back a frame lent by AttachQueue.
func (t *Target) DetachQueue(f *netio.Frame) {
	t.queued -= f.Cost()
	f.Release()
}

// Reserve counts bytes that the target keeps for the whole job, such as a reduction cache, against the memory limit.
func (t *Target) Reserve(bytes int64) {
	t.reserved += bytes
	if t.reserved > t.job.config.MemoryLimit {
		t.Rank.Fail(t.job.config.Errors.Limit(t.id, t.name, t.reserved, t.job.config.MemoryLimit, FromCaches))
	}
}

// Room waits until a frame with room for so many bytes may be under way too, and handles what arrives meanwhile. It is
// for the main function's side.
func (t *Target) Room(bytes int) { t.room(netio.FrameCost(bytes)) }

// Seal makes a frame lent by Attach ready to leave for a neighbour, with count pebbles in the first bytes of its payload.
func (t *Target) Seal(f *netio.Frame, to, count, bytes int, why coalesce.Reason) {
	t.filled(f)
	f.Kind, f.Target, f.Epoch, f.Check = netio.Data, t.index, t.epoch, t.fingerprint
	f.From, f.To, f.Count, f.Bytes = uint32(t.id), uint32(to), uint32(count), uint32(bytes)
	t.counters.Left(why)
}

// Launch hands a sealed frame to the transport. The frame is gone afterwards; account counts it until its receiver has
// handled it.
func (t *Target) Launch(f *netio.Frame, account *netio.Account) {
	t.check()
	if t.ledger != nil {
		f.Tag = t.ledger.Create(int(f.To))
	}
	t.created++
	t.counters.FramesSent++
	t.counters.BytesSent += uint64(f.Bytes)
	f.Charge(account)
	t.port.Send(f)
}

// Backlog notes that so many more sealed frames wait for credit, or fewer.
func (t *Target) Backlog(frames int) {
	t.backlog += frames
	t.counters.CreditWaits += uint64(max(frames, 0))
}

// Turn is one turn of a wait on the main function's side: it handles what has arrived, or rests. idle is how many turns
// before it found nothing; it returns that number for the next.
func (t *Target) Turn(idle int) int {
	t.check()
	if t.turn() {
		return 0
	}
	t.counters.Waits++
	t.rest(idle)
	return idle + 1
}

// Progress handles what has arrived. It is for the main function's side.
func (t *Target) Progress() { t.progress() }

// Fetch brings what has arrived near, before Progress handles it.
func (t *Target) Fetch() { t.port.Fetch() }

// Settle handles what handlers have sent to this rank, until nothing is left. It is for the main function's side.
func (t *Target) Settle() {
	for t.queued > 0 {
		t.check()
		t.progress()
	}
}

// Spend notes that the main function has sent n pebbles, and now and then sends what is due. It comes after Begin.
func (t *Target) Spend(n int) { t.spend(n) }

// Pass is Spend for a pebble that is put aside: it comes without Begin.
func (t *Target) Pass() {
	if t.tick > 0 && t.pace.Spend(1) {
		t.Begin(false)
		t.flushDue()
		t.End()
	}
}

// Fail ends the job because of a pebble of this target, and does not return.
func (t *Target) Fail(cause error) {
	t.Rank.Fail(fmt.Errorf("rank %d: target %q: %w", t.id, t.name, cause))
}
