package memory

import (
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/layout"
)

// load reads an element that others may write meanwhile. An element of 4 or 8 bytes is read atomically.
func load[T any](at unsafe.Pointer) (v T) {
	switch unsafe.Sizeof(v) {
	case 8:
		word := atomic.LoadUint64((*uint64)(at))
		return *(*T)(unsafe.Pointer(&word))
	case 4:
		half := atomic.LoadUint32((*uint32)(at))
		return *(*T)(unsafe.Pointer(&half))
	}
	return *(*T)(at)
}

// store writes an element that others may read meanwhile, atomically if it has 4 or 8 bytes.
func store[T any](at unsafe.Pointer, v T) {
	switch unsafe.Sizeof(v) {
	case 8:
		atomic.StoreUint64((*uint64)(at), *(*uint64)(unsafe.Pointer(&v)))
	case 4:
		atomic.StoreUint32((*uint32)(at), *(*uint32)(unsafe.Pointer(&v)))
	default:
		*(*T)(at) = v
	}
}

// buffer returns memory of a wait for an element in flight.
func buffer[T any](w *wait) *T {
	if words := (int(unsafe.Sizeof(*new(T))) + 7) / 8; len(w.room) < words {
		w.room = make([]uint64, words)
	}
	return (*T)(unsafe.Pointer(unsafe.SliceData(w.room)))
}

// pointer returns the address of an element of a slice.
func pointer[T any](all []T, i int) unsafe.Pointer { return unsafe.Pointer(&all[i]) }

// Get reads an element.
func (a *Array[T]) Get(i uint64) T {
	if at, other := a.nearby.at(i, a.size()); at != nil {
		a.s.counts.Near++
		a.s.counts.Hits += other
		return load[T](at)
	}
	return a.get(i)
}

func (a *Array[T]) get(i uint64) T {
	near, owner, local := a.find("Get", i)
	if near == nil {
		return a.getFar(owner, local)
	}
	return load[T](near)
}

func (a *Array[T]) getFar(owner, local int) T {
	const call = "Get"
	a.s.mayWait(call)
	near, to := a.look(owner, local)
	if near != nil {
		return load[T](near)
	}
	w := a.wait()
	v := buffer[T](w)
	a.s.move(to, getting, layout.Bytes(v), &w.c)
	a.s.await(call, w)
	got := *v
	a.s.end(w)
	return got
}

// Put writes an element. It is visible to all after the next Fence, and at the end of the epoch.
func (a *Array[T]) Put(i uint64, v T) {
	if at, other := a.nearby.at(i, a.size()); at != nil {
		a.s.counts.Near++
		a.s.counts.Hits += other
		store(at, v)
		return
	}
	a.put(i, v)
}

func (a *Array[T]) put(i uint64, v T) {
	near, owner, local := a.find("Put", i)
	if near == nil {
		a.putFar(owner, local, v)
		return
	}
	store(near, v)
}

func (a *Array[T]) putFar(owner, local int, v T) {
	const call = "Put"
	a.s.mayWait(call)
	near, to := a.look(owner, local)
	if near != nil {
		store(near, v)
		return
	}
	w := a.wait()
	src := buffer[T](w)
	*src = v
	a.s.move(to, putting, layout.Bytes(src), &w.c)
	a.s.await(call, w)
	a.s.end(w)
}

// GetStart begins to read an element to dst, which belongs to the call until the read is done. Handlers may call it
// too.
func (a *Array[T]) GetStart(i uint64, dst *T) Pending {
	const call = "GetStart"
	near, owner, local := a.find(call, i)
	if near != nil {
		*dst = load[T](near)
		return Pending{}
	}
	a.s.mayStart(call)
	near, to := a.look(owner, local)
	if near != nil {
		*dst = load[T](near)
		return Pending{}
	}
	w := a.wait()
	a.s.move(to, getting, layout.Bytes(dst), &w.c)
	return a.s.begun(w)
}

// PutStart begins to write an element from src, which must not change until the write is done. Handlers may call it
// too.
func (a *Array[T]) PutStart(i uint64, src *T) Pending {
	const call = "PutStart"
	near, owner, local := a.find(call, i)
	if near != nil {
		store(near, *src)
		return Pending{}
	}
	a.s.mayStart(call)
	near, to := a.look(owner, local)
	if near != nil {
		store(near, *src)
		return Pending{}
	}
	w := a.wait()
	a.s.move(to, putting, layout.Bytes(src), &w.c)
	return a.s.begun(w)
}

// GetRange reads len(dst) elements from lo on. Elements that are neighbours at one owner travel together, and those of
// all owners at the same time.
func (a *Array[T]) GetRange(lo uint64, dst []T) {
	const call = "GetRange"
	a.s.awaitAll(call, a.each(call, lo, len(dst), a.s.mayWait, moving(a.s, dst, getting)))
}

// PutRange writes elements from lo on.
func (a *Array[T]) PutRange(lo uint64, src []T) {
	const call = "PutRange"
	a.s.awaitAll(call, a.each(call, lo, len(src), a.s.mayWait, moving(a.s, src, putting)))
}

// GetRangeStart begins to read elements from lo on. dst must not be used until the read is done.
func (a *Array[T]) GetRangeStart(lo uint64, dst []T) Pending {
	const call = "GetRangeStart"
	return a.s.begun(a.each(call, lo, len(dst), a.s.mayStart, moving(a.s, dst, getting)))
}

// PutRangeStart begins to write elements from lo on. src must not change until the write is done. Handlers may call it
// too.
func (a *Array[T]) PutRangeStart(lo uint64, src []T) Pending {
	const call = "PutRangeStart"
	return a.s.begun(a.each(call, lo, len(src), a.s.mayStart, moving(a.s, src, putting)))
}

// moving returns a visitor that reads or writes the runs of a range.
func moving[T any](s *Space, all []T, way operation) visitor[T] {
	return func(w *wait, near []T, to spot, from, n int) {
		part := all[from : from+n]
		switch {
		case near == nil:
			s.move(to, way, layout.BytesOf(part), &w.c)
		case way == getting:
			copy(part, near)
		default:
			copy(near, part)
		}
	}
}

// visitor accesses n neighbours at their owner, from one of a range on: in near memory, or at the spot to.
type visitor[T any] = func(w *wait, near []T, to spot, from, n int)

// each visits the runs of a range: elements that are neighbours at their owner, too. It returns the wait for the
// accesses; nil if everything is near.
func (a *Array[T]) each(call string, lo uint64, count int, may func(string), visit visitor[T]) (w *wait) {
	a.s.attend()
	if lo > a.n || uint64(count) > a.n-lo {
		if a.freed {
			a.outside(call, lo)
		}
		arrayLacks(a.s, call, a.name, "%d elements from %d on end beyond the array, which has %d", count, lo, a.n)
	}
	for from := 0; from < count; {
		near, owner, local := a.find(call, lo+uint64(from))
		n := a.run(call, lo+uint64(from), owner, local, count-from)
		var to spot
		if near == nil {
			may(call)
			near, to = a.look(owner, local)
		}
		if near != nil {
			visit(nil, unsafe.Slice((*T)(near), n), to, from, n)
		} else {
			if w == nil {
				w = a.wait()
			}
			visit(w, nil, to, from, n)
		}
		from += n
	}
	return w
}

// run returns the number of elements from i on that lie next to each other, up to most.
func (a *Array[T]) run(call string, i uint64, owner, local, most int) int {
	if a.runs != nil {
		return int(min(uint64(most), a.runs.Run(i)))
	}
	n := 1
	for n < most && a.d.Owner(i+uint64(n)) == owner && a.d.Local(i+uint64(n)) == local+n {
		n++
	}
	if !a.safe {
		a.check(call, i, owner, local, uint64(n))
	}
	return n
}

// Gather reads many elements: dst[i] is the element of indices[i]. They leave together, by owner, and the call waits
// once. Like all calls for many elements it does not return when the job has failed.
func (a *Array[T]) Gather(dst []T, indices []uint64) {
	const call = "Gather"
	a.s.awaitAll(call, a.many(call, indices, dst, getting, a.s.mayWait))
}

// GatherStart begins a Gather. dst belongs to the call until the reads are done; indices does not. Handlers may call it
// too.
func (a *Array[T]) GatherStart(dst []T, indices []uint64) Pending {
	const call = "GatherStart"
	return a.s.begun(a.many(call, indices, dst, getting, a.s.mayStart))
}

// many reads or writes many elements: all[i] is the element of indices[i].
func (a *Array[T]) many(call string, indices []uint64, all []T, way operation, may func(string)) (w *wait) {
	if len(all) != len(indices) {
		a.misuse(call, "%d indices and %d elements: give as many", len(indices), len(all))
	}
	a.s.attend()
	for {
		n, others := moveNear(&a.nearby, indices, all, way)
		a.s.counts.Near += uint64(n)
		a.s.counts.Hits += others
		if all, indices = all[n:], indices[n:]; len(indices) == 0 {
			return w
		}
		var f found
		n = min(ahead, len(indices))
		w = a.lookUp(call, &f, indices[:n], all[:n], way, w, may)
		for _, e := range f.near[:f.nears] {
			if way == getting {
				all[e.i] = load[T](e.at)
			} else {
				store(e.at, all[e.i])
			}
		}
		all, indices = all[n:], indices[n:]
	}
}

// lookUp finds at most ahead elements, and begins to move those that are far. It makes w if there are some.
func (a *Array[T]) lookUp(
	call string, f *found, indices []uint64, all []T, way operation, w *wait, may func(string),
) *wait {
	if others, ok := a.nearby.find(f, indices, a.size()); ok {
		a.s.counts.Near += uint64(f.nears)
		a.s.counts.Hits += others
	} else {
		for i, index := range indices {
			at, owner, local := a.find(call, index)
			cpu.Prefetch(at, 1)
			f.add(i, at, owner, local)
		}
	}
	for fars := f.far[:f.fars]; len(fars) > 0; { // by owner, each in its order
		owner, others := fars[0].owner, fars[:0]
		part, far := a.s.directory.far(a.key, owner)
		if far && w == nil {
			may(call)
			w = a.wait()
		}
		words := a.s.words[:0]
		for _, e := range fars {
			switch to := part.Plus(e.local * int(a.size())); {
			case e.owner != owner:
				others = append(others, e)
			case !far: // handlers may run, which may gather, too
				var at unsafe.Pointer
				if w, at = a.lookFar(call, owner, e.local, &all[e.i], way, w, may); at != nil {
					f.add(e.i, at, owner, e.local)
				}
			case a.size() != exposed.WordBytes:
				a.s.moveAt(to, way, layout.Bytes(&all[e.i]), &w.c)
			default:
				data := (*[exposed.WordBytes]byte)(unsafe.Pointer(&all[e.i]))
				words = append(words, exposed.Word{Offset: to.Offset, Data: data})
			}
		}
		if far {
			remote := uint64(len(fars) - len(others))
			a.s.counts.Hits += remote
			a.s.counts.Remote += remote
			a.s.words = a.s.moveWords(part, way, words, w)
		}
		fars = others
	}
	return w
}

// lookFar finds an element of another process, or begins to move it.
func (a *Array[T]) lookFar(
	call string, owner, local int, v *T, way operation, w *wait, may func(string),
) (*wait, unsafe.Pointer) {
	may(call)
	near, to := a.look(owner, local)
	if near != nil {
		return w, near
	}
	if w == nil {
		w = a.wait()
	}
	a.s.move(to, way, layout.Bytes(v), &w.c)
	return w, nil
}

// Scatter writes many elements: src[i] to the element of indices[i]. If an index occurs twice, one of its values stays.
// They leave together, by owner, and the call waits once.
func (a *Array[T]) Scatter(indices []uint64, src []T) {
	const call = "Scatter"
	a.s.awaitAll(call, a.many(call, indices, src, putting, a.s.mayWait))
}

// ScatterStart begins a Scatter. src must not change until the writes are done; indices may. Handlers may call it too.
func (a *Array[T]) ScatterStart(indices []uint64, src []T) Pending {
	const call = "ScatterStart"
	return a.s.begun(a.many(call, indices, src, putting, a.s.mayStart))
}
