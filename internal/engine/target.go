package engine

import (
	"fmt"
	"hash/crc32"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Endpoint is the engine's interface to a target, besides its outbox. It is called once per frame, never once per
// pebble.
type Endpoint interface {
	// Deliver handles the pebbles of a frame that are home, and passes the others on. The caller keeps the frame. If
	// links that the frame may need have a backlog, Deliver does nothing and returns false.
	Deliver(f *netio.Frame) (taken bool, err error)
	// Drain handles the pebbles that handlers had sent to this rank before the call.
	Drain()
	// Holds reports whether send buffers, caches or buffers may hold pebbles.
	Holds() bool
	// Flush sends the pebbles in caches, and in buffers for links of a stage up to the given one. It reports whether it
	// moved anything, and whether some of these pebbles are left and wait for credit.
	Flush(why coalesce.Reason, stage int) (sent, left bool)
	// FlushDue sends the buffers that are due.
	FlushDue(now time.Duration)
	// Reroute moves pebbles that wait for a link that is now down to other links.
	Reroute() error
	// Retune applies a new setting where the target's options leave it open. It is called between epochs.
	Retune(s Setting)
	// AwaitRoom lets a task wait until the links of some pebbles, a slice of the target's type, have room.
	AwaitRoom(pebbles any)
	// EndEpoch clears the memory of a reduction. No pebble waits any more.
	EndEpoch()
	// Pebble describes the pebbles of the handler that has just panicked, in a line; "" if unknown.
	Pebble() string
}

// Description is the part of a target that must be equal on all ranks.
type Description struct {
	Name     string // unique in the job
	Schema   string // of the pebble type
	Settings string // distribution, topology, and other settings that must be equal

	Topology route.Topology // how the target's pebbles travel
	Moving   bool           // keys may move while an epoch runs, and their pebbles after them
	Frame    int            // bytes of a full buffer
	Cache    int64          // bytes of the reduction cache
	Tunes    Tunes          // settings that may change while the job runs
	Pebble   int            // bytes of a pebble; 0 for coded ones
	// ExtraDepth is the number of pebbles that its chains may have beyond a declared depth. A target of the runtime has
	// some, since no handler of the program sends its pebbles.
	ExtraDepth int
}

func (d Description) String() string {
	return fmt.Sprintf("target %q of %s, %s", d.Name, d.Schema, d.Settings)
}

// Target is the engine's part of a registered target, through which it sends and receives on its rank.
type Target struct {
	Rank *Rank
	*coalesce.Sender
	coalesce.Label
	description Description
	endpoint    Endpoint
	outbox      *coalesce.Outbox
	handled     uint64  // pebbles
	labels      *Labels // of the goroutine while the handler runs on frames
	// NoSendLimit lets tasks send without waiting for room, since something else bounds the pebbles in flight.
	NoSendLimit bool
}

// targetsMax bounds the targets of a job that were not freed: a frame names its target in 16 bits.
const targetsMax = 1 << 16

// Refuse ends the job because of an invalid target, and does not return.
func (r *Rank) Refuse(target, reason string) {
	r.Fail(&RegistrationError{r.id, target, reason})
}

// Register adds a target to the rank. An invalid one ends the job.
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

// EnterSend is the first step of a send. It ends the job outside of epochs and during other calls. If a task is sending
// and some link of the target may be full, it returns full: then the caller must wait for room. After that it sends as
// a handler does.
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

// Begin begins the part of an entered send that does more than gather a pebble, until End.
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

// Flush is the program's flush: it sends the pebbles that the target holds back. Outside of epochs, it holds none.
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

// Overlaps ends the job: a send overlaps another call.
func (t *Target) Overlaps() { t.Rank.crossed(sent) }

// InHandler reports whether a handler, a task, or a call by one of them is running; none of these waits.
func (c *caller) InHandler() bool { return c.mode >= task }

// Topology returns the target's topology.
func (t *Target) Topology() route.Topology { return t.description.Topology }

// Renew records changes of the target between epochs.
func (t *Target) Renew(topology route.Topology, frame int, cache int64) {
	t.Reserve(cache - t.description.Cache)
	t.description.Topology, t.description.Frame, t.description.Cache = topology, frame, cache
}

// Handle records that the given number of pebbles are about to be handled. Until Handled is called with its result,
// every send on this rank is a handler's. Pebbles that come straight from the main function are the first of their
// chains.
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

// Handled records that the handlers announced to Handle have returned.
func (t *Target) Handled(before mode) {
	t.Rank.mode = before
	if before < handler {
		t.Rank.depth = 0
	}
}

// Reserve counts bytes that the target keeps until it is freed, for its reduction cache, against the memory limit.
func (t *Target) Reserve(bytes int64) {
	t.Reserved += bytes
	if t.Reserved > t.MemoryLimit {
		t.Rank.Fail(&LimitError{t.Rank.id, t.Name, t.Reserved, t.MemoryLimit, FromCaches})
	}
}

// HandleQueued handles the pebbles that handlers have sent to this rank, until none is left. It is for the main
// function's side.
func (t *Target) HandleQueued() {
	for t.Queued > 0 {
		t.Rank.Check()
		t.Rank.Loop.Progress()
	}
}

// Sent records that the main function has sent n pebbles. Now and then it sends due buffers, and handles arrived
// frames: otherwise a rank that sends most pebbles to itself would let others wait for credit. It is called after
// Begin.
func (t *Target) Sent(n int) {
	if t.Rank.Loop.worked(n) {
		t.Rank.Loop.Progress()
	}
}

// BeginBodySend is EnterSend for one pebble of the main function in an epoch. It reports whether that function is
// sending, and whether to call SendDue first. It is small enough to be inlined.
func (t *Target) BeginBodySend() (inBody, flushDue bool) {
	t.Rank.owned(sent)
	if t.Rank.mode != body {
		return false, false
	}
	return true, t.Rank.Loop.pace.spend(1)
}

// SendDue does for a single send the same as Sent for many.
func (t *Target) SendDue() {
	t.Begin()
	t.Rank.Loop.flushDue()
	t.Rank.Loop.Progress()
	t.End()
}

// FindRoom reports whether the target's links have room. The main function handles arrived frames before it gives up;
// handlers and tasks can't.
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
