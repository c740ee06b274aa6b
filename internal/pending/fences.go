package pending

// Fences counts operations in the order of their start. A fence, of type F, is passed when all operations that started
// before it are done. The zero value has none. An operation costs a pass over the waiting fences.
type Fences[F any] struct {
	started uint64
	open    int // operations that are not done
	waiting []fence[F]
}

type fence[F any] struct {
	before uint64 // it waits for operations up to this one
	left   int    // those of them that are not done
	of     F
}

// Open returns the number of operations and fences that are not done.
func (f *Fences[F]) Open() int { return f.open + len(f.waiting) }

// Start counts an operation, and returns its number for End: from 1 on.
func (f *Fences[F]) Start() (number uint64) {
	f.open++
	f.started++
	return f.started
}

// Wait adds a fence. It returns false, and adds none, if nothing is open.
func (f *Fences[F]) Wait(of F) bool {
	if f.open == 0 {
		return false
	}
	f.waiting = append(f.waiting, fence[F]{f.started, f.open, of})
	return true
}

// End ends an operation, and calls passed with each fence that waited for it last. passed must not add fences.
func (f *Fences[F]) End(number uint64, passed func(F)) {
	f.open--
	still := f.waiting[:0]
	for _, w := range f.waiting {
		if number <= w.before {
			w.left--
		}
		if w.left > 0 {
			still = append(still, w)
		} else {
			passed(w.of)
		}
	}
	f.waiting = still
}
