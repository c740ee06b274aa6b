package memory

import (
	"sync/atomic"
)

// Word is the type of elements that any rank can change atomically.
type Word interface{ ~int64 | ~uint64 }

// Add adds n to an element, and returns the element's previous value. It is atomic with all other changes of words, and
// with sync/atomic on the owner's Local.
func Add[T Word](a *Array[T], i uint64, n T) T {
	const call = "Add"
	near, to := findWord(a, call, i, a.s.mayWait)
	if near != nil {
		return T(atomic.AddUint64(near, uint64(n))) - n
	}
	return changeWord[T](a, call, to, adding, uint64(n), 0)
}

// AddStart begins to add n to an element, without an answer. Handlers may call it too. It is done when Pending.Wait
// returns, and at the end of the epoch.
func AddStart[T Word](a *Array[T], i uint64, n T) Pending {
	const call = "AddStart"
	near, to := findWord(a, call, i, a.s.mayStart)
	if near != nil {
		atomic.AddUint64(near, uint64(n))
		return Pending{}
	}
	w := a.wait()
	a.s.word(to, adding, uint64(n), 0, nil, &w.c)
	return a.s.begun(w)
}

// Swap sets an element, and returns its previous value.
func Swap[T Word](a *Array[T], i uint64, v T) T {
	const call = "Swap"
	near, to := findWord(a, call, i, a.s.mayWait)
	if near != nil {
		return T(atomic.SwapUint64(near, uint64(v)))
	}
	return changeWord[T](a, call, to, swapping, uint64(v), 0)
}

// CompareAndSwap sets an element if it is equal to old, and reports whether it was.
func CompareAndSwap[T Word](a *Array[T], i uint64, old, v T) bool {
	const call = "CompareAndSwap"
	near, to := findWord(a, call, i, a.s.mayWait)
	if near != nil {
		return atomic.CompareAndSwapUint64(near, uint64(old), uint64(v))
	}
	return changeWord[T](a, call, to, comparing, uint64(old), uint64(v)) == old
}

// findWord finds a word: its address, or the spot of its change. may ends the job if the change is not allowed here.
func findWord[T Word](a *Array[T], call string, i uint64, may func(string)) (near *uint64, to spot) {
	at, owner, local := a.find(call, i)
	if at == nil {
		may(call)
		at, to = a.look(owner, local)
	}
	return (*uint64)(at), to
}

// changeWord waits for a change of a word that is not near, and returns the previous value.
func changeWord[T Word](a *Array[T], call string, to spot, what operation, x, y uint64) T {
	w := a.wait()
	a.s.word(to, what, x, y, &w.word, &w.c)
	a.s.await(call, w)
	v := T(w.word)
	a.s.end(w)
	return v
}

// AddAt is Add for the word that r refers to.
func AddAt[T Word](s *Space, r Ref[T], n T) T {
	if r.at.partition() == s.rank.Size() {
		a, i := Resolve(s, r)
		return Add(a, i, n)
	}
	return changeAt(s, "AddAt", r, adding, uint64(n), 0)
}

// SwapAt is Swap for the word that r refers to.
func SwapAt[T Word](s *Space, r Ref[T], v T) T {
	if r.at.partition() == s.rank.Size() {
		a, i := Resolve(s, r)
		return Swap(a, i, v)
	}
	return changeAt(s, "SwapAt", r, swapping, uint64(v), 0)
}

// CompareAndSwapAt is CompareAndSwap for the word that r refers to.
func CompareAndSwapAt[T Word](s *Space, r Ref[T], old, v T) bool {
	if r.at.partition() == s.rank.Size() {
		a, i := Resolve(s, r)
		return CompareAndSwap(a, i, old, v)
	}
	was := changeAt(s, "CompareAndSwapAt", r, comparing, uint64(old), uint64(v))
	return was == old
}

// changeAt waits for a change of a word of an object, and returns the previous value. what is the operation.
func changeAt[T Word](s *Space, call string, r Ref[T], what operation, x, y uint64) T {
	to, err := reach(s, call, r, 1)
	must(s, call, s.failing(call, err))
	w := s.wait()
	s.word(to, what, x, y, &w.word, &w.c)
	s.await(call, w)
	v := T(w.word)
	must(s, call, s.ended(call, to, w))
	return v
}
