package memory

// Mode says what a view is for.
type Mode uint8

// The modes (Grappa, section 4.1).
const (
	ReadOnly  Mode = iota // a copy, which is dropped
	ReadWrite             // a copy, which is written back
	WriteOnly             // nothing is read, and all is written
)

// View is a range of an array that one rank has copied to itself, until Release. It is nobody else's: what is written
// to it is not seen before Release, and what others write meanwhile isn't seen in it, and is lost where it is written
// back. It is a small value; copies are the same view.
type View[T any] struct {
	of  *copied[T]
	use uint64
}

// copied is the copy of a view. Another view has it after Release.
type copied[T any] struct {
	a    *Array[T]
	lo   uint64
	mode Mode
	all  []T
	use  uint64 // how many views have had it
}

// View copies the elements lo to hi-1, by the rules of GetRange. Where nothing is read, its elements are zero.
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

// view takes one that was released.
func (a *Array[T]) view() *copied[T] {
	if n := len(a.views); n > 0 {
		v := a.views[n-1]
		a.views = a.views[:n-1]
		return v
	}
	return &copied[T]{a: a}
}

// Elements are those of the view: that of index i of the array is Elements()[i-lo]. They are good until Release.
func (v View[T]) Elements() []T { return v.open("Elements").all }

// Release ends the view, by the rules of PutRange where it is written back. It is called once.
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
