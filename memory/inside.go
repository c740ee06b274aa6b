package memory

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/memory/internal/inside"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Inside returns the part of a space for package pages of this module.
func (s *Space) Inside(frame.Access) inside.Space { return inner{s} }

// Inside returns the site of each rank's part, for package pages of this module. All ranks call it.
func (a *Array[T]) Inside(frame.Access) []inside.Site { return sites(a) }

// inner implements inside.Space.
type inner struct{ s *Space }

func (i inner) Engine() *engine.Rank              { return i.s.engine }
func (i inner) OneSided() netio.OneSided          { return i.s.memory }
func (i inner) Misuse(format string, args ...any) { i.s.misuse(format, args...) }

func (i inner) Lacks(call, of, format string, args ...any) { lacks(i.s, call, of, format, args...) }

func (i inner) ClaimPages() bool {
	first := !i.s.paged
	i.s.paged = true
	return first
}

func (i inner) NewLock(name string, rank, words int, strict bool) *inside.Lock {
	return i.s.newLock(name, rank, words, strict)
}

// tasks is the scheduler of a rank.
type tasks interface{ Self() task.Task }

func (i inner) Caller(call string) inside.Caller {
	s := i.s
	if s.engine.InTask(call) {
		return inside.Caller{Task: s.engine.Tasks.Current().(tasks).Self(), IsTask: true}
	}
	if s.engine.InHandler() {
		s.misuse("%s was called in a handler, which must not wait: call it in a task, or in the main function", call)
	}
	return inside.Caller{}
}

func (i inner) Begin(name string) inside.Operation {
	w := i.s.wait()
	w.name = name
	return w
}

// Completion implements inside.Operation, as the methods below do.
func (w *wait) Completion() *netio.Completion { return &w.c }

func (w *wait) End(call string) {
	w.Await(call)
	w.s.end(w)
}

func (w *wait) Await(call string) {
	switch s := w.s; {
	case w.c.Done():
	case s.engine.InTask(call):
		w.Suspend(s.engine, call, call)
	case s.engine.InBody():
		s.engine.Loop.Await(call, w.c.Done)
	case s.engine.InHandler():
		s.misuse("%s was called in a handler, which must not wait, on memory that is not near: call it in a task", call)
	default:
		s.engine.Loop.AwaitBetween(call, w.c.Done)
	}
}

func (w *wait) AwaitOthers(call string) {
	if s := w.s; !w.c.Done() && !s.engine.InTask(call) && s.engine.InBody() {
		s.engine.AwaitOthers(call, w.c.Done)
	}
	w.End(call)
}

// sites returns the site of each rank's part. All ranks call it.
func sites[T any](a *Array[T]) []inside.Site {
	s, d := a.s, a.s.directory
	o := d.find(a.key)
	bases, err := pebble.AllGather(s.rank, o.base)
	if err != nil {
		s.engine.Check() // the job has failed: this ends the rank
	}
	all := make([]inside.Site, s.rank.Size())
	for process := range d.place.Processes {
		first, offsets := a.layOut(process)
		var near []byte
		if bytes := offsets[len(offsets)-1]; bytes > 0 && first < len(bases) {
			if near, err = s.memory.Near(bases[first], bytes); err != nil {
				s.fail("memory.NewArray", err)
			}
		}
		for i := range len(offsets) - 1 {
			site := &all[first+i]
			site.At = bases[first].Plus(offsets[i])
			if bytes := a.d.LocalLen(first+i) * int(a.size()); near != nil {
				site.Near = near[offsets[i] : offsets[i]+bytes : offsets[i]+bytes]
			}
		}
	}
	return all
}
