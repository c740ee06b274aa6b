package memory

// Mode is the purpose of a view.
type Mode uint8

// Modes (Grappa, section 4.1).
const (
	ReadOnly  Mode = iota // a copy, dropped by Release
	ReadWrite             // a copy, written back by Release
	WriteOnly             // nothing is read, and all is written
)

// View is a private copy of a range of an array on one rank, until Release. Its changes are not visible to others
// before Release. Writes of others meanwhile are not visible in it, and are lost if it is written back. It is a small
// value; copies are the same view.
type View[T any] struct {
	of  *copied[T]
	use uint64
}

// copied is the copy of a view. Another view gets it after Release.
type copied[T any] struct {
	a    *Array[T]
	lo   uint64
	mode Mode
	all  []T
	use  uint64 // number of views that have had it
}

// View copies the elements lo to hi-1, by the rules of GetRange. In mode WriteOnly nothing is read, and the elements
// are zero.
func (a *Array[T]) View(lo, hi uint64, mode Mode) View[T] {
	if lo > hi || hi > a.n {
		if a.freed {
			a.outside("View", lo)
		}
		arrayLacks(a.s, "View", a.name, "elements %d to %d are not in the array, which has %d", lo, hi, a.n)
	}
	v := a.view()
	v.lo, v.mode = lo, mode
	if n := int(hi - lo); n <= cap(v.all) {
		v.all = v.all[:n]
	} else {
		v.all = make([]T, n)
	}
	if mode == WriteOnly {
		clear(v.all)
	} else {
		a.GetRange(lo, v.all)
	}
	return View[T]{v, v.use}
}

// view returns a released copy, or a new one.
func (a *Array[T]) view() *copied[T] {
	if n := len(a.views); n > 0 {
		v := a.views[n-1]
		a.views = a.views[:n-1]
		return v
	}
	return &copied[T]{a: a}
}

// Elements returns the elements of the view: Elements()[i-lo] is the array's element i. They are valid until Release.
func (v View[T]) Elements() []T { return v.open("Elements").all }

// Release ends the view, and writes it back unless the mode is ReadOnly, by the rules of PutRange. It is called once.
func (v View[T]) Release() {
	c := v.open("Release")
	c.use++
	if c.mode != ReadOnly {
		c.a.PutRange(c.lo, c.all)
	}
	c.a.views = append(c.a.views, c)
}

// open ends the job unless the view is open.
func (v View[T]) open(call string) *copied[T] {
	if v.of.use != v.use {
		v.of.a.misuse(call, "the view was released already")
	}
	return v.of
}
