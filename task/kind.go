package task

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/target"
)

// Kind is a class of tasks that move: one function, which all ranks register under one name, and an argument for each
// task. A task that has not begun is its argument alone, 8 bytes or so, and may move to an idle rank (Grappa, sections
// 4.1 and 4.2). So an argument refers to data by keys, and never to data of one rank alone. It is plain data, or
// travels through a codec: see target.Coded. Methods may be called in an epoch's body, by handlers and by tasks. All
// tasks have ended at the end of the epoch.
type Kind[A any] struct {
	s       *Scheduler
	name    string
	run     func(a A)    // nil for batches
	runAll  func(as []A) // nil for single tasks
	most    int          // most tasks of one run
	bound   ring[A]      // sent to this rank, the oldest first
	tasks   []A          // for any rank, the newest last; those before first are gone
	first   int
	batches [][]A        // unused batches
	codec   codecs.Value // of arguments
	encoded []byte       // working memory of loot
	carry   *target.Target[carried[A]]
	labels  *engine.Labels
}

// carried is a task on its way to another rank. Its codec treats the fields after A as one tag.
type carried[A any] struct {
	A    A
	To   uint32
	From uint32
	Why  why
}

type why uint32

const (
	spawned    why = iota // for that rank
	asked                 // stolen
	remembered            // stolen, over a lifeline
)

// kind is the interface of a Kind for the scheduler.
type kind interface {
	// begin runs the next task, or batch, on the calling coroutine, and reports whether there was one.
	begin() bool
	// spare returns the number of tasks that other ranks may take.
	spare() int
	// sendHalf sends some to another rank.
	sendHalf(to int, why why)
}

// stealBytes bounds the arguments of one theft, since handlers can't wait for room.
const stealBytes = 64 << 10

// NewKind registers a kind of tasks, by the rules of target.New: on all ranks, in the same order, between epochs. The
// options Coalesce, Route and Coded apply.
func NewKind[A any](s *Scheduler, name string, run func(a A), options ...target.Option) *Kind[A] {
	return newKind(s, &Kind[A]{s: s, name: name, run: run, most: 1}, options)
}

// NewKindBatch registers a kind that runs up to most tasks at a time: a run waits once for all of them. The slice is
// valid until run returns.
func NewKindBatch[A any](s *Scheduler, name string, most int, run func(as []A), options ...target.Option) *Kind[A] {
	k := &Kind[A]{s: s, name: name, runAll: run, most: most}
	if most < 1 {
		k.misuse("batches of %d tasks: give at least 1", most)
	}
	return newKind(s, k, options)
}

func newKind[A any](s *Scheduler, k *Kind[A], options []target.Option) *Kind[A] {
	ranks := s.rank.Size()
	if k.run == nil && k.runAll == nil {
		s.engine.Refuse(k.name, "it has no function that runs its tasks: give one")
	}
	argument := codecs.NewItem[A]("argument")
	given, options := codecs.Given(options)
	if err := codecs.Share(given, &argument); err != nil {
		s.engine.Refuse(k.name, err.Error())
	}
	if k.codec = argument.Value; k.codec.Coded() {
		var c carried[A]
		options = append(options, target.Coded(codecs.Pebbles[carried[A]](codecs.Struct(reflect.TypeOf(c),
			codecs.Tag[[3]uint32](unsafe.Offsetof(c.To)), codecs.Field{Value: k.codec}))))
	}
	k.carry = target.New(s.rank, k.name, distribution.Ranks(ranks),
		target.Keys(func(cs []carried[A], keys []uint64) {
			for i := range cs {
				keys[i] = uint64(cs[i].To)
			}
		}), target.Batch(k.arrive), options...)
	if s.thief == nil && ranks > 1 {
		s.thief = newThief(s)
	}
	k.labels = s.engine.Publisher.LabelsFor("kind", k.name)
	s.kinds = append(s.kinds, k)
	return k
}

// Free frees the kind, by the rules of target.Target.Free.
func (k *Kind[A]) Free() {
	s := k.s
	gone := s.engine.Free(fmt.Sprintf("kind %q", k.name))
	if gone == nil {
		return
	}
	k.carry.Free()
	s.kinds = slices.DeleteFunc(s.kinds, func(other kind) bool { return other == kind(k) })
	k.s = &Scheduler{rank: s.rank, engine: gone}
	k.bound, k.tasks, k.batches, k.encoded = ring[A]{}, nil, nil, nil
}

// Spawn makes a task that any rank may run: this one, the newest first, or an idle one, the oldest first (Grappa,
// section 4.2: the public queue). Ranks steal tasks in epochs of [Scheduler.Run].
func (k *Kind[A]) Spawn(a A) {
	k.s.engine.Tasks.CheckSpawn("Spawn was called")
	k.tasks = append(k.tasks, a)
	k.s.queued++
}

// SpawnOn makes a task that runs on a rank, where it joins the queue on arrival. A calling task may wait for room, as a
// send does.
func (k *Kind[A]) SpawnOn(rank int, a A) {
	k.s.engine.Tasks.CheckSpawn("SpawnOn was called")
	self, ranks := k.s.rank.ID(), k.s.rank.Size()
	switch {
	case rank == self:
		k.bound.push(a)
		k.s.queued++
	case rank < 0 || rank >= ranks:
		k.misuse("a task for rank %d: ranks are 0 to %d", rank, ranks-1)
	default:
		k.carry.Send(carried[A]{a, uint32(rank), uint32(self), spawned})
	}
}

// SpawnAt makes a task that runs on the rank that owns a key.
func (k *Kind[A]) SpawnAt(owner distribution.Map, key uint64, a A) { k.SpawnOn(owner.Owner(key), a) }

func (k *Kind[A]) misuse(format string, args ...any) {
	k.s.engine.Misuse("task", "kind %q: %s", k.name, fmt.Sprintf(format, args...))
}

// arrive queues tasks from another rank.
func (k *Kind[A]) arrive(cs []carried[A]) {
	for i := range cs {
		switch c := &cs[i]; c.Why {
		case spawned:
			k.bound.push(c.A)
		default:
			k.tasks = append(k.tasks, c.A)
			k.s.thief.found(int(c.From), c.Why)
		}
	}
	k.s.queued += len(cs)
}

func (k *Kind[A]) begin() bool {
	n := min(k.most, k.bound.size+k.spare())
	if n == 0 {
		return false
	}
	k.s.queued -= n
	k.labels.Put()
	if k.run != nil {
		k.run(k.next())
		k.labels.Drop()
		return true
	}
	k.s.counts.Tasks += uint64(n) - 1
	as := k.batch(n)
	for range n {
		as = append(as, k.next())
	}
	k.runAll(as)
	k.labels.Drop()
	if k.codec.Coded() {
		clear(as)
	}
	k.batches = append(k.batches, as[:0])
	return true
}

// next removes and returns a task.
func (k *Kind[A]) next() A {
	if k.bound.size > 0 {
		return k.bound.pop()
	}
	last := len(k.tasks) - 1
	a := k.tasks[last]
	if k.codec.Coded() {
		k.tasks[last] = *new(A) // releases its memory
	}
	k.tasks = k.tasks[:last]
	if last == k.first {
		k.tasks, k.first = k.tasks[:0], 0
	}
	return a
}

// batch returns an empty slice for a batch of n arguments.
func (k *Kind[A]) batch(n int) []A {
	last := len(k.batches) - 1
	if last < 0 {
		return make([]A, 0, n)
	}
	as := k.batches[last]
	k.batches = k.batches[:last]
	return as
}

func (k *Kind[A]) spare() int { return len(k.tasks) - k.first }

// loot returns the number of tasks for one theft: the older half, up to stealBytes.
func (k *Kind[A]) loot() int {
	half := (k.spare() + 1) / 2
	if !k.codec.Coded() {
		return min(half, max(1, stealBytes/int(unsafe.Sizeof(carried[A]{}))))
	}
	bytes := 0
	for i := range half {
		// An error occurs again when the task is sent.
		k.encoded, _ = k.codec.Append(k.encoded[:0], unsafe.Pointer(&k.tasks[k.first+i]))
		if bytes += len(k.encoded); bytes > stealBytes {
			return max(1, i)
		}
	}
	return half
}

// sendHalf implements kind: it sends the older half.
func (k *Kind[A]) sendHalf(to int, why why) {
	n := k.loot()
	for _, a := range k.tasks[k.first : k.first+n] {
		k.carry.Send(carried[A]{a, uint32(to), uint32(k.s.rank.ID()), why})
	}
	k.carry.Flush()
	clear(k.tasks[k.first : k.first+n])
	k.first += n
	k.s.queued -= n
	if k.first > len(k.tasks)/2 {
		k.tasks = slices.Delete(k.tasks, 0, k.first)
		k.first = 0
	}
}
