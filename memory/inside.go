package memory

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/memory/internal/inside"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
)

func init() {
	inside.SpaceOf = func(space any) inside.Space { return inner{space.(*Space)} }
	inside.SitesOf = func(array any) []inside.Site { return array.(interface{ sites() []inside.Site }).sites() }
}

// inner is what package pages has of a space.
type inner struct{ s *Space }

func (i inner) Engine() *engine.Rank              { return i.s.engine }
func (i inner) OneSided() netio.OneSided          { return i.s.memory }
func (i inner) Misuse(format string, args ...any) { i.s.misuse(format, args...) }

func (i inner) Lacks(call, of, format string, args ...any) { lacks(i.s, call, of, format, args...) }

func (i inner) Caller(call string) inside.Caller {
	s := i.s
	if s.engine.InTask(call) {
		return inside.Caller{Task: s.engine.Tasks().(tasks).Self(), IsTask: true}
	}
	if s.engine.InHandler() {
		s.misuse("%s was called in a handler, which must not wait: call it in a task, or in the main function", call)
	}
	return inside.Caller{}
}

func (i inner) Begin(name string) inside.Operation {
	w := i.s.wait()
	w.name = name
	return inside.Operation{Completion: &w.c, Wait: w}
}

func (i inner) End(call string, o inside.Operation) {
	i.Await(call, o)
	i.s.end(o.Wait.(*wait))
}

func (i inner) Await(call string, o inside.Operation) {
	s, w := i.s, o.Wait.(*wait)
	switch {
	case w.c.Done():
	case s.engine.InTask(call):
		w.Suspend(s.engine, call, call)
	case s.engine.InBody():
		s.engine.Await(call, w.c.Done)
	case s.engine.InHandler():
		s.misuse("%s was called in a handler, which must not wait, on memory that is not near: call it in a task", call)
	default:
		s.engine.AwaitBetween(call, w.c.Done)
	}
}

func (i inner) AwaitOthers(call string, o inside.Operation) {
	s, w := i.s, o.Wait.(*wait)
	if !w.c.Done() && !s.engine.InTask(call) && s.engine.InBody() {
		s.engine.AwaitOthers(call, w.c.Done)
	}
	i.End(call, o)
}

// sites tells where the parts of all ranks are.
func (a *Array[T]) sites() []inside.Site {
	s, d := a.s, a.s.directory
	o := d.find(a.key)
	bases, err := pebble.AllGather(s.rank, o.base)
	if err != nil {
		s.engine.Check() // the job has failed: this ends the rank
	}
	sites := make([]inside.Site, s.rank.Size())
	for process := range d.place.Processes {
		first, offsets := a.layOut(process)
		var near []byte
		if bytes := offsets[len(offsets)-1]; bytes > 0 && first < len(bases) {
			if near, err = s.memory.Near(bases[first], bytes); err != nil {
				s.fail("memory.NewArray", err)
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
