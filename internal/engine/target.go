package engine

import (
	"fmt"
	"hash/crc32"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Endpoint is what the engine asks of a target, beside its outbox. It is called once a frame, never once a pebble.
type Endpoint interface {
	// Deliver handles the pebbles of a frame that are home, and passes the others on. The frame stays the caller's. It
	// does nothing, and says so, when links that the frame may need have a backlog.
	Deliver(f *netio.Frame) (taken bool, err error)
	// Drain handles what handlers had sent to this rank when it was called.
	Drain()
	// Holds reports whether anything may wait in send buffers, caches and buffers.
	Holds() bool
	// Flush sends what waits in caches, and in buffers for links of a stage up to the given one. It reports whether it
	// has moved anything, and whether something is left that it should have sent and that waits for credit.
	Flush(why coalesce.Reason, stage int) (sent, left bool)
	// FlushDue sends the buffers that are due.
	FlushDue(now time.Duration)
	// Reroute moves pebbles that wait for a link which has been marked down to other links.
	Reroute() error
	// Retune takes over a new setting, as far as the target's options leave it open. It comes between epochs.
	Retune(s Setting)
	// AwaitRoom lets a task wait until the links of some pebbles, a slice of the target's type, have room.
	AwaitRoom(pebbles any)
	// EndEpoch forgets what a reduction remembers. Nothing waits any more.
	EndEpoch()
	// Pebble describes what the handler was called with that has just panicked, in a line; "" where that is not known.
	Pebble() string
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
	// ExtraDepth is the number of pebbles by which its chains may exceed a declared depth. A target of the runtime has
	// some, because its pebbles follow from no handler of the program.
	ExtraDepth int
}

func (d Description) String() string {
	return fmt.Sprintf("target %q of %s, %s", d.Name, d.Schema, d.Settings)
}

// Target is what the engine knows of a registered target, and the way in which that sends and receives on its rank.
type Target struct {
	Rank *Rank
	*coalesce.Sender
	coalesce.Label
	description Description
	endpoint    Endpoint
	outbox      *coalesce.Outbox
	handled     uint64  // pebbles
	labels      *Labels // of the goroutine while the handler runs on frames
	// NoSendLimit says that sends of tasks don't wait for room, because something else bounds the pebbles in flight.
	NoSendLimit bool
}

// targetsMax bounds the targets of a job that were not freed: a frame names its target in 16 bits.
const targetsMax = 1 << 16

// Refuse ends the job because a target can't be registered, and does not return.
func (r *Rank) Refuse(target, reason string) {
	r.Fail(&RegistrationError{r.id, target, reason})
}

// Register adds a target to the rank. One that can't be registered ends the job.
func (r *Rank) Register(d Description, e Endpoint, o *coalesce.Outbox) *Target {
	call := fmt.Sprintf("target %q was registered", d.Name)
	r.ownedAnew(call)
	if in := r.mode; in != outside {
		r.misplaced(in, call, "%s inside an epoch: register targets between epochs", call)
	}
	r.Check()
	if d.Name == "" {
		r.Refuse(d.Name, "a target needs a name, which tells it from others in errors and logs")
	}
	for _, other := range r.Targets.all {
		if other.Name == d.Name {
			r.Refuse(d.Name, "a target of this name is registered already: give each its own name")
		}
	}
	if len(r.Targets.all) == targetsMax {
		r.Refuse(d.Name, fmt.Sprintf("%d targets are registered, which is the most", targetsMax))
	}
	t := &Target{
		Rank: r, Sender: &r.Sender, description: d, endpoint: e, outbox: o,
		Label: coalesce.Label{
			Name: d.Name, Fingerprint: crc32.Checksum([]byte(d.Schema), crc32.MakeTable(crc32.Castagnoli)),
		},
	}
	t.labels = r.Publisher.LabelsFor("target", d.Name)
	r.Targets.add(t)
	return t
}

// EnterSend is the first step of a send. It ends the job outside of epochs and beside other calls. If a task is sending
// and some link of the target may be full, full is true: the caller must wait for room, and sends as a handler does
// then.
func (t *Target) EnterSend() (full bool) {
	t.Rank.owned(sent)
	switch in := t.Rank.mode; in {
	case body:
		return false
	case handler:
	case task:
		full = !t.NoSendLimit && !t.HasRooms()
	default:
		t.Rank.misplaced(in, sent, "target %q: a pebble was sent outside of an epoch: send inside the function given to "+
			"Rank.Epoch", t.Name)
	}
	if t.Rank.limit > 0 && t.Rank.depth >= t.Rank.limit+t.description.ExtraDepth {
		t.tooDeep()
	}
	return full
}

const sent = "a pebble was sent"

// Begin says that a send that was entered does more than put a pebble aside, until End.
func (t *Target) Begin() {
	if t.Rank.mode == handler || t.Rank.mode == task {
		t.Rank.mode++
		return
	}
	t.Rank.beginCallFrom(sent, body)
}

// End is the counterpart of Begin.
func (t *Target) End() {
	if t.Rank.mode.ofProgram() {
		t.Overlaps()
	}
	t.Rank.mode--
}

// Flush is the program's own: it sends what the target holds back. Outside of epochs there is nothing.
func (t *Target) Flush() {
	const call = "Flush was called"
	from := t.Rank.beginCall(call)
	if from == outside {
		t.Rank.mode = from
		t.Rank.Misuse(room, "target %q: Flush was called outside of an epoch: an epoch's end sends all", t.Name)
	}
	t.endpoint.Flush(coalesce.Explicit, coalesce.AllStages)
	t.Rank.endCall(call, from)
}

// Overlaps ends the job: a send has met another call.
func (t *Target) Overlaps() { t.Rank.crossed(sent) }

// InHandler reports whether a handler or a task is running, or a call of theirs, none of which waits.
func (c *caller) InHandler() bool { return c.mode >= task }

// Topology is the one that the target was registered with.
func (t *Target) Topology() route.Topology { return t.description.Topology }

// Renew notes what has been changed of the target between epochs.
func (t *Target) Renew(topology route.Topology, frame int, cache int64) {
	t.Reserve(cache - t.description.Cache)
	t.description.Topology, t.description.Frame, t.description.Cache = topology, frame, cache
}

// Handle marks that so many pebbles are about to be handled. Until Handled is called with what it returns, every send
// on this rank is one of a handler. Pebbles that come straight from the main function are the first of their chains.
func (t *Target) Handle(pebbles int) (before mode) {
	before = t.Rank.mode
	if before < handler {
		t.Rank.depth = 1
	}
	t.Rank.mode = handler
	t.Rank.handling = t
	t.Count.PebblesHandled += uint64(pebbles)
	t.handled += uint64(pebbles)
	return before
}

// Handled marks that the handlers announced to Handle have returned.
func (t *Target) Handled(before mode) {
	t.Rank.mode = before
	if before < handler {
		t.Rank.depth = 0
	}
}

// Reserve counts bytes that the target keeps until it is freed, its reduction cache, against the memory limit.
func (t *Target) Reserve(bytes int64) {
	t.Reserved += bytes
	if t.Reserved > t.MemoryLimit {
		t.Rank.Fail(&LimitError{t.Rank.id, t.Name, t.Reserved, t.MemoryLimit, FromCaches})
	}
}

// HandleQueued handles what handlers have sent to this rank, until nothing is left. It is for the main function's side.
func (t *Target) HandleQueued() {
	for t.Queued > 0 {
		t.Rank.Check()
		t.Rank.Loop.Progress()
	}
}

// Sent notes that the main function has sent n pebbles. Now and then it sends what is due, and handles what has
// arrived: a rank that sends most pebbles to itself would let others wait for credit otherwise. It comes after Begin.
func (t *Target) Sent(n int) {
	if t.Rank.Loop.worked(n) {
		t.Rank.Loop.Progress()
	}
}

// BeginBodySend is EnterSend for one pebble of the main function in an epoch. It reports whether that is sending, and
// whether SendDue is to be called first. It is small enough to be inlined.
func (t *Target) BeginBodySend() (inBody, flushDue bool) {
	t.Rank.owned(sent)
	if t.Rank.mode != body {
		return false, false
	}
	return true, t.Rank.Loop.pace.spend(1)
}

// SendDue does for a single send what Sent does for many.
func (t *Target) SendDue() {
	t.Begin()
	t.Rank.Loop.flushDue()
	t.Rank.Loop.Progress()
	t.End()
}

// FindRoom reports whether the target's links have room. The main function handles frames that have arrived before it
// gives up; handlers and tasks can't.
func (t *Target) FindRoom() bool {
	if t.Rank.mode == body && (t.Rank.Loop.pace.spend(1) || !t.HasRooms()) {
		t.SendDue()
	}
	if t.HasRooms() {
		return true
	}
	if t.Rank.mode == body {
		t.Port.Pause() // other ranks have to handle the frames that wait
	}
	return false
}

// Fail ends the job because of a pebble of this target, and does not return.
func (t *Target) Fail(cause error) {
	t.Rank.Fail(fmt.Errorf("%srank %d: target %q: %w", At(Site()), t.Rank.id, t.Name, cause))
}
