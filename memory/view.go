package memory

// Mode says what a view is for.
type Mode uint8

// The modes (Grappa, section 4.1).
const (
	ReadOnly  Mode = iota // a copy, which is dropped
	ReadWrite             // a copy, which is written back
	WriteOnly             // nothing is read, and all is written
)

// View is a range of an array that one rank has copied to itself, until Release. It is nobody else's: what is written to it is not seen
// before Release, and what others write meanwhile isn't seen in it, and is lost where it is written back.
type View[T any] struct {
	a    *Array[T]
	lo   uint64
	mode Mode
	all  []T
}

// View copies the elements lo to hi-1, by the rules of GetRange. Where nothing is read, its elements are zero.
func (a *Array[T]) View(lo, hi uint64, mode Mode) *View[T] {
	if lo > hi || hi > a.n {
		if a.freed {
			a.outside("View", lo)
		}
		a.misuse("View", "elements %d to %d are not in the array, which has %d", lo, hi, a.n)
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
	return v
}

// view takes one that was released.
func (a *Array[T]) view() *View[T] {
	if n := len(a.views); n > 0 {
		v := a.views[n-1]
		a.views = a.views[:n-1]
		v.a = a
		return v
	}
	return &View[T]{a: a}
}

// Elements are those of the view: that of index i of the array is Elements()[i-lo]. They are good until Release.
func (v *View[T]) Elements() []T { return v.all }

// Release ends the view, by the rules of PutRange where it is written back. It is called once.
func (v *View[T]) Release() {
	a := v.a
	if a == nil {
		panic("memory: Release of a view that was released already")
	}
	v.a = nil
	if v.mode != ReadOnly {
		a.PutRange(v.lo, v.all)
	}
	a.views = append(a.views, v)
}
