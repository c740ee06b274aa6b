package memory

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Inside is what package pages builds on: the part of a space that is for packages of this module.
type Inside struct{ s *Space }

// Inside is for packages of this module.
func (s *Space) Inside(engine.Key) Inside { return Inside{s} }

// Engine is the engine's part of the rank.
func (i Inside) Engine() *engine.Rank { return i.s.engine }

// OneSided is the rank's access to exposed memory.
func (i Inside) OneSided() netio.OneSided { return i.s.memory }

// Caller is the task that calls, or none for the main function; it ends the job in handlers, and for other goroutines.
func (i Inside) Caller(call string) Caller {
	s := i.s
	if s.engine.InTask(call) {
		return Caller{s.engine.Tasks().(tasks).Self(), true}
	}
	if s.engine.InHandler() {
		s.misuse("%s was called in a handler, which must not wait: call it in a task, or in the main function", call)
	}
	return Caller{}
}

// Caller is who calls: a task, or the main function where it is none.
type Caller struct {
	Task   task.Task
	IsTask bool
}

// Operation is operations that somebody waits for: those that were begun with its completion.
type Operation struct {
	Completion *netio.Completion
	w          *wait
}

// Begin takes an operation. name is what its errors are about.
func (i Inside) Begin(name string) Operation {
	w := i.s.wait()
	w.name = name
	return Operation{&w.c, w}
}

// End waits until what was begun is done, and ends the job when it has failed. A task lets other tasks run meanwhile,
// and the main function in an epoch's body handles what arrives; between epochs it handles nothing.
func (i Inside) End(call string, o Operation) {
	i.Await(call, o)
	i.s.end(o.w)
}

// Await is End for an operation that goes on to be used, until it is given to End.
func (i Inside) Await(call string, o Operation) {
	s := i.s
	switch {
	case o.w.c.Done():
	case s.engine.InTask(call):
		o.w.Suspend(s.engine, call)
	case s.engine.InBody():
		s.engine.Await(call, o.w.Done())
	case s.engine.InHandler():
		s.misuse("%s was called in a handler, which must not wait, on memory that is not near: call it in a task", call)
	default:
		s.engine.AwaitBetween(call, o.w.Done())
	}
}

// AwaitOthers is End for what the programs of other ranks do, if they do: this rank counts as being at rest, so that
// the end of an epoch finds what is waited for in vain.
func (i Inside) AwaitOthers(call string, o Operation) {
	s := i.s
	if !o.w.c.Done() && !s.engine.InTask(call) && s.engine.InBody() {
		s.engine.AwaitOthers(call, o.w.Done())
	}
	i.End(call, o)
}

// Misuse ends the job: a call was wrong.
func (i Inside) Misuse(format string, args ...any) { i.s.misuse(format, args...) }

// Site is where the part of a rank is.
type Site struct {
	At   netio.Address
	Near []byte // all of it, when it is this process's or mapped from this host
}

// Sites tells where the parts of all ranks are. All ranks call it; each process tells its address once.
func Sites[T any](a *Array[T], _ engine.Key) []Site {
	s, d := a.s, a.s.directory
	o := d.find(a.key)
	bases, err := pebble.AllGather(s.rank, o.base)
	if err != nil {
		s.engine.Check() // the job has failed: this ends the rank
	}
	sites := make([]Site, s.rank.Size())
	for process := range d.place.Processes {
		first, offsets := a.layOut(process)
		var near []byte
		if bytes := offsets[len(offsets)-1]; bytes > 0 && first < len(bases) {
			if near, err = s.memory.Near(bases[first], bytes); err != nil {
				s.fail("memory.Sites", err)
			}
		}
		for i := range len(offsets) - 1 {
			site := &sites[first+i]
			site.At = bases[first].Plus(offsets[i])
			if bytes := a.d.LocalLen(first+i) * int(a.size()); near != nil {
				site.Near = near[offsets[i] : offsets[i]+bytes : offsets[i]+bytes]
			}
		}
	}
	return sites
}
