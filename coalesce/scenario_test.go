package coalesce_test

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// The files of testdata show the buffers of one rank at work. Its outbox and its sender are real; the file plays the
// other ranks. -rewrite writes the files again.
func TestScenarios(t *testing.T) {
	scenario.Run(t, func(_ *testing.T, l *scenario.Log) scenario.Verbs {
		b := &buffers{log: l}
		return scenario.Verbs{
			"open": b.open, "topology": b.topology, "reshape": b.reshape, "reserve": b.reserve, "defaults": b.defaults,
			"put": b.put, "record": b.record, "flush": b.flush, "due": b.due, "pump": b.pump, "task": b.task,
			"release": b.release, "epoch": b.epoch, "phase": b.phase, "fail": b.fail,
			"accepts": b.accepts, "mark": b.mark, "reroute": b.reroute, "drain": b.drain, "handled": b.handled,
			"fits": b.fits, "state": b.state, "counters": b.counters,
		}
	})
}

// buffers are those of one rank, with the state of its scenario. Pebbles are numbers, in the order of their puts.
type buffers struct {
	log    *scenario.Log
	sender coalesce.Sender
	out    coalesce.Outbox
	ranks  int
	links  *route.Links
	now    time.Duration
	failed atomic.Bool
	last   uint64               // last pebble put
	flight map[int]netio.Frames // by rank: frames that it has not released
	queue  netio.Frames         // frames of the queue that handlers work on
	sealed string               // last frame sealed, until its way is known
	main   mainFunction
	inner  coalesce.Origin // of handlers
}

// mainFunction is the main function, which is suspended while it waits.
type mainFunction struct {
	coalesce.Origin
	left    int                     // pebbles to put, including the current one
	goOn    func() (struct{}, bool) // runs until it waits or has put all pebbles
	suspend func(struct{}) bool
}

// A departure is the panic value of a rank that leaves the program.
type departure string

// Leave implements coalesce.Engine.
func (b *buffers) Leave() { panic(departure("the job has failed")) }

// Exceeded implements coalesce.Engine.
func (b *buffers) Exceeded(target string, needed int64) {
	panic(departure(fmt.Sprintf("target %q needs %d bytes, the limit is %d", target, needed, b.sender.MemoryLimit)))
}

// try runs a part of a command, and logs a departure from the program.
func (b *buffers) try(do func()) {
	defer func() {
		value := recover()
		why, ok := value.(departure)
		if value != nil && !ok {
			panic(value)
		}
		if ok {
			b.sealed = ""
			b.log.Say("the rank leaves the program: %s", string(why))
		}
		b.waits()
	}()
	do()
}

func (b *buffers) open(c *scenario.Command) {
	credits, factor := c.Int("credits", 100), c.Int("coalesce", 2)
	*b = buffers{log: b.log, ranks: c.Int("ranks", 2), links: route.NewLinks(), flight: map[int]netio.Frames{},
		inner: coalesce.Origin{Queued: true}}
	b.main.Waiter = b
	pool := netio.NewPool(nil)
	b.sender = coalesce.Sender{
		Options: coalesce.Options{
			Credits: func(int) int { return credits }, Due: c.Time("due"),
			BufferBudget: int64(c.Int("budget", 1<<20)), MemoryLimit: int64(c.Int("memory", 1<<20)),
		},
		Rank: c.Int("rank", 0), Pool: pool, Port: &scenario.Port{Lends: pool, Clock: &b.now, Sent: b.sent},
		Engine: b, Failed: &b.failed, Epoch: 1, Deep: c.Has("deep"), Sealed: b.seals,
	}
	if c.Has("ledger") {
		b.sender.Ledger = termination.NewLedger()
	}
	shape := coalesce.Shape{Unit: 8, MaxUnits: factor, Factor: factor, FlushOnCredit: c.Has("prompt")}
	if bytes := c.Int("records", 0); bytes > 0 {
		shape.Unit, shape.MaxUnits, shape.Records = 1, bytes, true
	}
	b.connect(c, shape)
}

// topology opens the outbox for another topology.
func (b *buffers) topology(c *scenario.Command) { b.connect(c, b.out.Shape) }

func (b *buffers) connect(c *scenario.Command, shape coalesce.Shape) {
	made, err := route.ByName(c.Text("topology", "direct"))
	if err != nil {
		c.Refuse("%v", err)
	}
	t := made(b.ranks)
	if w, ok := t.(route.Watching); ok {
		t = w.Watch(b.links)
	}
	b.out.Open(&b.sender, coalesce.Label{Name: "a", Index: 3, Fingerprint: 7}, t, shape)
}

func (b *buffers) reshape(c *scenario.Command) {
	factor := c.Int("coalesce", 2)
	b.out.Reshape(factor, factor)
}

func (b *buffers) reserve(c *scenario.Command) { b.sender.Reserved = int64(c.Int("bytes", 0)) }

func (b *buffers) defaults(c *scenario.Command) {
	for _, n := range c.Ints("pebbles-of") {
		factor := coalesce.FactorFor(n)
		b.log.Say("pebbles of %d bytes: %d a frame, %d in the first, credit for %d frames", n, factor,
			coalesce.MinUnits(factor, n), coalesce.CreditsDefault(factor*n))
	}
}

// seals implements Sealed of coalesce.Sender.
func (b *buffers) seals(to, bytes int, why coalesce.Reason) {
	b.waits()
	words := [...]string{"full", "due", "flushed", "flushed when idle", "flushed for a period", "of another depth"}
	b.sealed = fmt.Sprintf("frame %d->%d: %s, %s", b.sender.Rank, to, b.size(bytes), words[why])
}

// size describes the given number of bytes.
func (b *buffers) size(bytes int) string {
	if b.out.Records {
		return scenario.Count(bytes, "byte")
	}
	return scenario.Count(bytes/b.out.Unit, "pebble")
}

// sent receives the frames of the port.
func (b *buffers) sent(f *netio.Frame) {
	if b.sealed == "" {
		b.sealed = fmt.Sprintf("frame %d->%d: %s, waited", f.From, f.To, b.size(int(f.Bytes)))
	}
	if b.sender.Deep {
		b.sealed += fmt.Sprintf(", depth %d", f.Flags)
	}
	if b.sender.Ledger != nil {
		b.sealed += fmt.Sprintf(", epoch %d, phase %d", f.Epoch, f.Tag)
	}
	if b.out.Records {
		b.sealed += ", " + scenario.Count(f.Count, "record")
	}
	b.log.Say("%s: leaves", b.sealed)
	b.sealed = ""
	all := b.flight[int(f.To)]
	all.Push(f)
	b.flight[int(f.To)] = all
}

// waits logs that the last sealed frame did not reach the port.
func (b *buffers) waits() {
	what := "credit"
	if b.sender.HoldFrames {
		what = "the task to wait"
	}
	if b.sealed != "" {
		b.log.Say("%s: waits for %s", b.sealed, what)
	}
	b.sealed = ""
}

// put puts pebbles: as the main function, which waits for credit and for room, or as a handler, which does not.
func (b *buffers) put(c *scenario.Command) {
	pebbles, depth, handler := c.Int("pebbles", 1), uint8(c.Int("depth", 1)), c.Has("handler")
	for _, to := range c.Ints("to") {
		b.try(func() {
			if handler {
				b.inner.Depth = depth
				for range pebbles {
					b.add(&b.inner, b.lane(to))
				}
				return
			}
			if b.main.left > 0 {
				c.Refuse("the main function waits")
			}
			b.main.Depth, b.main.left = depth, pebbles
			b.main.goOn, _ = iter.Pull(func(yield func(struct{}) bool) {
				b.main.suspend = yield
				for ; b.main.left > 0; b.main.left-- {
					b.add(&b.main.Origin, b.lane(to))
				}
			})
			b.main.goOn()
		})
	}
}

// AwaitCredit implements coalesce.Waiter. It does not wait after the last pebble: the scenario ends there.
func (b *buffers) AwaitCredit(lane int) {
	for b.main.left > 1 && b.out.Waits(lane) {
		b.await("credit", b.main.left-1)
	}
}

// AwaitBudget implements coalesce.Waiter.
func (b *buffers) AwaitBudget(bytes int) {
	for !b.sender.Fits(bytes) {
		b.await("room", b.main.left)
	}
}

// await suspends the main function until frames may have come back.
func (b *buffers) await(what string, left int) {
	b.waits()
	b.log.Say("the main function waits for %s, with %s to put", what, scenario.Count(left, "pebble"))
	b.main.suspend(struct{}{})
}

// lane returns the lane that leads to a rank.
func (b *buffers) lane(rank int) int {
	var lanes [1]uint32
	b.out.Plan.Fill([]uint32{uint32(rank)}, lanes[:])
	return int(lanes[0])
}

// add puts the next pebble into a lane.
func (b *buffers) add(from *coalesce.Origin, l int) {
	b.last++
	b.growing(l, func() { b.out.Put(from, unsafe.Pointer(&b.last), []uint32{uint32(l)}) })
}

// growing logs the growth of a lane's frame.
func (b *buffers) growing(l int, put func()) {
	before := b.out.Room(l)
	put()
	if now := b.out.Room(l); before > 0 && now > before {
		b.log.Say("lane %d->%d: its frame of %d grows to %d", b.sender.Rank, b.out.Plan.Lanes[l], before, now)
	}
}

// record puts one record, as a handler.
func (b *buffers) record(c *scenario.Command) {
	l, record := b.lane(c.Int("to", 1)), make([]byte, c.Int("bytes", 1))
	b.last++
	record[0], b.inner.Depth = byte(b.last), uint8(c.Int("depth", 1))
	b.try(func() { b.growing(l, func() { b.out.PutRecord(&b.inner, l, record) }) })
}

func (b *buffers) flush(c *scenario.Command) {
	whys := map[string]coalesce.Reason{
		"explicit": coalesce.Explicit, "idle": coalesce.Idle, "periodic": coalesce.Periodic,
	}
	why, ok := whys[c.Word("reason")]
	if !ok {
		c.Refuse("reasons are explicit, idle and periodic")
	}
	stage := c.Int("stage", coalesce.AllStages)
	b.try(func() {
		left := b.out.Flush(why, stage)
		b.waits()
		if left {
			b.log.Say("some pebbles are left, for want of credit")
		}
		if !b.out.FlushesCaches(stage) {
			b.log.Say("caches keep what they hold")
		}
	})
}

func (b *buffers) due(c *scenario.Command) {
	b.now = c.Time("at")
	held := c.Has("held")
	b.try(func() {
		if b.out.FlushDue(b.now, held) {
			b.log.Say("what a cache holds back is due")
		}
	})
}

func (b *buffers) pump(*scenario.Command) {
	b.try(func() {
		b.out.Pump()
		if b.main.left > 0 {
			b.main.goOn()
		}
	})
}

// task starts a task, whose frames leave when it waits, or lets it wait.
func (b *buffers) task(c *scenario.Command) { b.sender.HoldFrames = c.Word("what it does") == "begins" }

// release makes another rank release its oldest frames.
func (b *buffers) release(c *scenario.Command) {
	rank := c.Number("rank")
	for range c.Int("frames", 1) {
		all := b.flight[rank]
		f := all.Shift()
		if b.flight[rank] = all; f == nil {
			c.Refuse("rank %d has no frame", rank)
		}
		b.log.Say("rank %d releases %s", rank, b.content(f))
		f.Release()
	}
}

// content lists the pebbles or records of a frame.
func (b *buffers) content(f *netio.Frame) string {
	if b.out.Records {
		return fmt.Sprintf("%s of %d bytes, the first is record %d", scenario.Count(f.Count, "record"), f.Bytes,
			f.Payload()[0])
	}
	return pebbles(netio.Values[uint64](f, int(f.Count)))
}

// pebbles lists pebbles; a run of numbers appears as its first and last.
func pebbles(vs []uint64) string {
	var told []string
	for i := 0; i < len(vs); i++ {
		first := vs[i]
		for i+1 < len(vs) && vs[i+1] == vs[i]+1 {
			i++
		}
		if first == vs[i] {
			told = append(told, fmt.Sprint(first))
		} else {
			told = append(told, fmt.Sprint(first, "-", vs[i]))
		}
	}
	return "pebbles " + strings.Join(told, ", ")
}

func (b *buffers) epoch(*scenario.Command) {
	b.sender.Epoch++
	b.sender.Ledger.Clear()
}

// phase ends the phase of a link.
func (b *buffers) phase(c *scenario.Command) {
	to := c.Number("rank")
	b.log.Say("link %d->%d: %s in this phase and before", b.sender.Rank, to,
		scenario.Count(int(b.sender.Ledger.Close(to)), "frame"))
}

func (b *buffers) fail(*scenario.Command) { b.failed.Store(true) }

// accepts logs whether a frame from another rank can be taken in.
func (b *buffers) accepts(c *scenario.Command) {
	f := &netio.Frame{Header: netio.Header{From: uint32(c.Int("from", 1))}}
	told := "must wait"
	if b.out.Accepts(f) {
		told = "is taken in"
	}
	if b.out.IsLastStage(f) {
		told += "; all its pebbles are home"
	}
	b.log.Say("a frame from rank %d %s", f.From, told)
}

func (b *buffers) mark(c *scenario.Command) {
	from, to := c.Pair("link", "-")
	b.links.Mark(from, to, c.Word("mark") == "down")
}

func (b *buffers) reroute(*scenario.Command) {
	back, err := b.out.Reroute()
	if err != nil {
		b.log.Say("%v", err)
	}
	for f := back.Shift(); f != nil; f = back.Shift() {
		b.log.Say("comes back: %s", b.content(f))
		f.Release()
	}
	if b.out.AnyWaits() {
		b.log.Say("there is a backlog still")
	}
	for l := range b.out.Plan.Lanes {
		if !b.out.Plan.Link(l) {
			b.log.Say("lane %d->%d: its link is down", b.sender.Rank, b.out.Plan.Lanes[l])
		}
	}
	for to := range b.ranks {
		if hop := b.out.Plan.Lanes[b.lane(to)]; hop != to {
			b.log.Say("pebbles for rank %d go over rank %d", to, hop)
		}
	}
}

// drain takes the queue, for handlers.
func (b *buffers) drain(*scenario.Command) {
	all := b.out.TakeQueue()
	for f := all.Shift(); f != nil; f = all.Shift() {
		b.log.Say("queue: %s, depth %d", b.content(f), f.Flags)
		b.queue.Push(f)
	}
}

// handled releases the frames that drain took.
func (b *buffers) handled(*scenario.Command) {
	for f := b.queue.Shift(); f != nil; f = b.queue.Shift() {
		b.out.Dequeued(f)
	}
}

func (b *buffers) fits(c *scenario.Command) {
	for _, bytes := range c.Ints("bytes") {
		b.log.Say("%d bytes: fit %v, half of the room has them %v", bytes, b.sender.Fits(bytes), b.sender.FitsHalf(bytes))
	}
}

// state logs the load of the rank.
func (b *buffers) state(*scenario.Command) {
	back := b.out.AllReleased() // first: it brings accounts up to date
	for l, h := range b.out.Loads() {
		var told []string
		if room := b.out.Room(l); room > 0 {
			told = append(told, fmt.Sprintf("%s of %d", b.size(int(h.Filling)), room))
		}
		if h.Flight > 0 {
			told = append(told, scenario.Count(h.Flight, "frame")+" in flight")
		}
		if h.Waiting > 0 {
			told = append(told, fmt.Sprint(h.Waiting, " in the backlog"))
		}
		if told != nil {
			b.log.Say("lane %d->%d: %s", b.sender.Rank, b.out.Plan.Lanes[l], strings.Join(told, ", "))
		}
	}
	s := &b.sender
	b.log.Say("memory: %d lent, %d idle, %d filling, %d queued; %s, at most %d", s.Pool.Lent(),
		s.Pool.Idle(), s.Filling, s.Queued, scenario.Count(s.Buffers, "buffer"), s.BuffersPeak)
	if back && s.Backlog == 0 {
		b.log.Say("all frames are back")
	}
}

// counters logs the counters that are not zero.
func (b *buffers) counters(*scenario.Command) {
	var told []string
	all := reflect.ValueOf(b.sender.Count)
	for i := range all.NumField() {
		if n := all.Field(i).Uint(); n > 0 {
			told = append(told, fmt.Sprint(all.Type().Field(i).Name, " ", n))
		}
	}
	b.log.Say("%s; %d created, %d launched, backlog %d", strings.Join(told, ", "), b.sender.Created, b.out.Launched,
		b.sender.Backlog)
}
