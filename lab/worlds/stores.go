package worlds

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/termination"
)

// globals is the program's use of global memory.
type globals struct {
	Arrays    int // percent of the plain pebbles whose handling adds to an element of an array
	Addresses int // entries of the address cache plus 1; 0 is none
	Touches   int // most steps of a main function in an epoch, and of a task, on the following; 0 is none of it
	Cells     int // elements of two arrays, which an epoch writes and reads by turns
	Element   int // index of their type
	Locks     int
	Words     int // of an array, of each kind
	Sided     int // of all ranks' exposed memory, of each kind
	Values    int // of a heap, that a rank makes in an epoch
	Renew     int // percent of epochs before which all of that is freed and allocated anew
}

func (d drawn) stores(w *World) {
	w.Touches = 1 + d.small(10)
	w.Addresses = one(d, 0, 2, 3, 5, 101)
	w.Renew = one(d, 0, 30, 100)
	w.Element = d.IntN(elementKinds)
	for _, part := range []struct {
		n    *int
		most int
	}{{&w.Cells, 40}, {&w.Locks, 3}, {&w.Words, 5}, {&w.Sided, 5}, {&w.Values, 5}} {
		if d.chance(50) {
			*part.n = 1 + d.small(part.most-1)
		}
	}
	if w.declares() { // epochs with locks declare nothing
		w.Locks = 0
	}
}

func (g globals) check(declares bool) error {
	switch {
	case g.Addresses > 1001:
		return fmt.Errorf("worlds: addresses=%d: an address cache has 1,000 entries at most", g.Addresses)
	case g.Touches > 0 && g.Locks > 0 && declares:
		return fmt.Errorf("worlds: %d locks, declared=1: locks need epochs that declare nothing", g.Locks)
	case g.Element >= elementKinds:
		return fmt.Errorf("worlds: elements of type %d: there are %d types", g.Element, elementKinds)
	}
	return nil
}

// touch is one step on global memory, of a main function or of a task. What it does follows from a number.
type touch int

const (
	touchCells  touch = iota // reads elements of an array, by one of all calls
	touchLocks               // changes words guarded by a lock
	touchWords               // changes words of an array
	touchSided               // changes words by netio.OneSided
	touchValues              // follows references from value to value of a heap
	touchKinds
)

// has reports whether the world has the memory that a step needs.
func (w *World) has(t touch) bool {
	return [touchKinds]int{w.Cells, w.Locks, w.Words, w.Sided, w.Values}[t] > 0
}

// touched calls do for the steps of a main function or a task, in order.
func (w *World) touched(id uint64, do func(t touch, number uint64)) {
	for i := range mix(id, 20) % uint64(w.Touches+1) {
		number := mix(id, 900_000+i)
		if t := touch(mix(number, 21) % uint64(touchKinds)); w.has(t) {
			do(t, number)
		}
	}
}

// mainSteps is the identity of a main function's steps in an epoch.
func (w *World) mainSteps(rank, epoch int) uint64 {
	return mix(mix(w.Seed, uint64(rank)), uint64(600_000+epoch))
}

// renews tells whether all of it is freed before an epoch, and allocated anew.
func (w *World) renews(epoch int) bool {
	return epoch > 0 && mix(mix(w.Seed, uint64(epoch)), 22)%100 < uint64(w.Renew)
}

// stored is the content of global memory, in the twin.
type stored struct {
	cells   [2][]uint64 // numbers that elements are made of, of the array that even epochs write, and of the other one
	guarded []uint64    // by lock
	words   [2]worded   // those of an array, and those of netio.OneSided
}

// worded is the result of words of each kind: tickets drawn, sums added, and how often one was added by
// compare-and-swap. Those that are swapped depend on the order.
type worded struct{ tickets, sums, swaps []uint64 }

func (w *World) newStored() (s stored) {
	for i := range s.cells {
		s.cells[i] = make([]uint64, w.Cells)
	}
	s.guarded = make([]uint64, w.Locks)
	for i, n := range []int{w.Words, w.Sided} {
		s.words[i] = worded{make([]uint64, n), make([]uint64, n), make([]uint64, n)}
	}
	return s
}

func (s *stored) clone() stored {
	c := *s
	for i := range c.cells {
		c.cells[i] = slices.Clone(s.cells[i])
	}
	c.guarded = slices.Clone(s.guarded)
	for i, from := range s.words {
		c.words[i] = worded{slices.Clone(from.tickets), slices.Clone(from.sums), slices.Clone(from.swaps)}
	}
	return c
}

// write does the writes of main functions in an epoch.
func (s *stored) write(w *World, epoch int) {
	for run := range w.runs() {
		if w.writer(run, epoch) < w.Ranks {
			lo, hi := w.run(run)
			for i := lo; i < hi; i++ {
				s.cells[epoch%2][i] = w.raw(i, epoch)
			}
		}
	}
}

// touch does a step.
func (s *stored) touch(w *World, t touch, number uint64) {
	switch t {
	case touchLocks:
		s.guarded[w.lockOf(number)] += number
	case touchWords:
		s.words[0].change(number)
	case touchSided:
		s.words[1].change(number)
	}
}

func (s *worded) change(number uint64) {
	c, at := changeOf(number, len(s.sums))
	switch c {
	case drawTicket:
		s.tickets[at]++
	case addLater:
		s.sums[at] += number
	case compareSwap:
		s.swaps[at]++
	}
}

func (w *World) lockOf(number uint64) int { return int(mix(number, 23) % uint64(w.Locks)) }

// stores is the part of the program that has global memory of all kinds.
type stores struct {
	program    *program
	space      *memory.Space
	generation int // how often it was freed
	cells      cellular
	locks      []*memory.Lock
	guarded    *memory.Array[uint64] // a sum and its shadow, by lock
	heap       *memory.Heap[value]
	refs       []memory.Ref[value] // of all values there are
	words      [2]*words           // nil where there are none
	balances   [2]*ledger          // of words, after the epoch
	stale      []stale             // accesses to memory that was freed last; each ends the job
	withdrawn  []withdrawn         // those to the same, until the next epoch has made them, that leave the job alone
	pebbles    uint64              // that were sent about fences
}

// stale is an access to freed memory that ends the job.
type stale struct {
	call string
	do   func()
}

// withdrawn is an access to freed memory that reports whether it was refused.
type withdrawn struct {
	call    string
	refused func() bool
}

// openStores allocates all, for the first time.
func (p *program) openStores() error {
	if p.Touches == 0 {
		return nil
	}
	p.stores = &stores{program: p, space: memory.New(p.rank)}
	p.stores.openCells()
	if p.Words > 0 {
		p.stores.words[0] = p.openWords("words of an array", p.Words, &inArray{p: p})
	}
	if p.Sided > 0 {
		p.stores.words[1] = p.openWords("words of a process", p.Sided, newSided(p))
	}
	return p.stores.allocate()
}

func (s *stores) allocate() error {
	p := s.program
	seed := mix(p.Seed, uint64(700_000+s.generation))
	if p.Cells > 0 {
		s.cells.allocate(seed)
	}
	s.locks = s.locks[:0]
	for i := range p.Locks {
		at := int(mix(seed, uint64(i)) % uint64(p.Ranks))
		s.locks = append(s.locks, memory.NewLock(s.space, fmt.Sprint("lock ", i), at))
	}
	if p.Locks > 0 {
		s.guarded = memory.NewArray[uint64](s.space, "guarded", p.spread(2*p.Locks, mix(seed, 24)))
	}
	if p.Values > 0 {
		s.heap = memory.NewHeap[value](s.space, "values", p.Values*p.Epochs)
		s.refs = s.refs[:0]
	}
	for _, words := range s.words {
		if words != nil {
			if err := words.set.allocate(seed); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin runs before an epoch. It may free everything and allocate it anew.
func (s *stores) begin(epoch int) error {
	if s == nil {
		return nil
	}
	if s.program.renews(epoch) {
		err := s.free()
		if s.generation++; err == nil {
			err = s.allocate()
		}
		if err != nil {
			return err
		}
	}
	for _, words := range s.words {
		if words != nil {
			words.slots = 0
		}
	}
	return s.makeValues()
}

// free frees all, and notes the calls that must find so.
func (s *stores) free() error {
	s.stale, s.withdrawn = s.stale[:0], s.withdrawn[:0]
	var frees []func() error
	if s.cells != nil {
		frees = append(frees, s.cells.free)
		s.cells.keepStale()
	}
	for _, l := range s.locks {
		frees = append(frees, l.Free)
		s.stale = append(s.stale, stale{"Lock", l.Lock}, stale{"TryLock", func() { l.TryLock() }})
	}
	if s.guarded != nil {
		frees = append(frees, s.guarded.Free)
	}
	if h := s.heap; h != nil {
		frees = append(frees, h.Free)
		s.stale = append(s.stale, stale{"New", func() { h.New(value{}) }},
			stale{"Local of a heap", func() { h.Local() }})
		if ref := s.refs[0]; s.refs != nil {
			s.stale = append(s.stale, stale{"Get of a reference", func() { memory.Get(s.space, ref) }})
		}
	}
	for _, words := range s.words {
		if words != nil {
			frees = append(frees, words.set.free)
			words.set.keepStale()
			words.ledger = newLedger(len(words.Tickets))
		}
	}
	for _, free := range frees {
		if err := free(); err != nil {
			return err
		}
	}
	return nil
}

// access does the accesses of a main function in an epoch's body.
func (s *stores) access(epoch int) error {
	if s == nil {
		return nil
	}
	p := s.program
	for _, access := range s.withdrawn {
		if !access.refused() {
			return fmt.Errorf("in epoch %d, rank %d: %s of what was freed was done", epoch, p.rank.ID(), access.call)
		}
	}
	s.withdrawn = s.withdrawn[:0]
	if s.cells != nil {
		if err := s.cells.write(epoch); err != nil {
			return err
		}
	}
	return s.touchAll(p.mainSteps(p.rank.ID(), epoch), epoch)
}

// misuse ends half of the jobs in which something was freed: one rank makes one access to it. Called is told which.
func (s *stores) misuse(called func(string)) error {
	if s == nil || len(s.stale) == 0 || mix(s.program.Seed, 63)%2 == 0 {
		return nil
	}
	p := s.program
	if err := p.rank.Barrier(); err != nil { // all have told their counts
		return err
	}
	return p.rank.Epoch(func() error {
		if uint64(p.rank.ID()) == mix(p.Seed, 64)%uint64(p.Ranks) {
			access := s.stale[mix(p.Seed, 65)%uint64(len(s.stale))]
			called(access.call)
			access.do()
		}
		return nil
	}, pebble.EndBy(termination.SKR))
}

// touchAll takes the steps of a main function or a task.
func (s *stores) touchAll(id uint64, epoch int) (err error) {
	if s == nil {
		return nil
	}
	s.program.touched(id, func(t touch, number uint64) {
		if err == nil {
			err = s.touch(t, number, epoch)
		}
	})
	return err
}

func (s *stores) touch(t touch, number uint64, epoch int) error {
	switch t {
	case touchCells:
		return s.cells.read(number, epoch)
	case touchLocks:
		return s.update(number)
	case touchWords:
		return s.words[0].change(number)
	case touchSided:
		return s.words[1].change(number)
	default:
		return s.follow(number)
	}
}

// update adds to two words guarded by a lock. Its holder always finds that they belong together.
func (s *stores) update(number uint64) error {
	k := s.program.lockOf(number)
	l, a := s.locks[k], s.guarded
	if mix(number, 25)%4 > 0 || !l.TryLock() {
		l.Lock()
	}
	at, pair := uint64(2*k), make([]uint64, 2)
	if mix(number, 26)%2 == 0 {
		a.GetRange(at, pair)
	} else {
		pair[0], pair[1] = a.Get(at), a.Get(at+1)
	}
	if pair[1] != shadow(pair[0], k) {
		return fmt.Errorf("rank %d has lock %d, and finds that %#x and %#x were not written together",
			s.program.rank.ID(), k, pair[0], pair[1])
	}
	pair[0] += number
	pair[1] = shadow(pair[0], k)
	switch mix(number, 27) % 3 {
	case 0:
		a.PutRange(at, pair)
	case 1:
		a.Put(at+1, pair[1])
		a.Put(at, pair[0])
	default: // Unlock waits for them
		a.PutStart(at, &pair[0])
		a.PutStart(at+1, &pair[1])
	}
	l.Unlock()
	return nil
}

// shadow is the word beside a sum guarded by a lock; that of 0 is 0, as memory is at first.
func shadow(sum uint64, lock int) uint64 {
	if sum == 0 {
		return 0
	}
	return mix(sum, uint64(lock))
}

// compare compares this rank's memory with the twin's, between two barriers.
func (s *stores) compare(epoch int, want stored) error {
	if s == nil {
		return nil
	}
	p := s.program
	if err := p.rank.Barrier(); err != nil {
		return err
	}
	if s.cells != nil {
		if err := s.cells.compare(epoch, want.cells); err != nil {
			return err
		}
	}
	if s.guarded != nil {
		for i, v := range s.guarded.Local() {
			at := int(s.guarded.Distribution().Key(p.rank.ID(), i))
			sum := want.guarded[at/2]
			if v != []uint64{sum, shadow(sum, at/2)}[at%2] {
				return fmt.Errorf("after epoch %d, word %d of what lock %d guards is %#x; the sum is %#x",
					epoch, at%2, at/2, v, sum)
			}
		}
	}
	for i, words := range s.words {
		if words != nil {
			if err := words.compare(epoch, want.words[i]); err != nil {
				return err
			}
			s.balances[i] = words.balance()
		}
	}
	return p.rank.Barrier()
}

// value is one of a heap, and refers to an older one.
type value struct {
	Word uint64
	Next memory.Ref[value]
}

// values are those that all ranks make in an epoch.
func (w *World) values() int { return w.Ranks * w.Values }

// nextValue is the number of the value that one refers to.
func (w *World) nextValue(number int) (next int, ok bool) {
	older := number / w.values() * w.values()
	if older == 0 {
		return 0, false
	}
	return int(mix(mix(w.Seed, uint64(number)), 28) % uint64(older)), true
}

func (s *stores) wordOf(number int) uint64 {
	return mix(mix(s.program.Seed, uint64(800_000+s.generation)), uint64(number))
}

// makeValues makes this rank's values, and gets the references to all.
func (s *stores) makeValues() error {
	if s.heap == nil {
		return nil
	}
	p, own := s.program, []memory.Ref[value]{}
	for i := range p.Values {
		number := len(s.refs) + p.rank.ID()*p.Values + i
		v := value{Word: s.wordOf(number)}
		if next, ok := p.nextValue(number); ok {
			v.Next = s.refs[next]
		}
		own = append(own, s.heap.New(v))
	}
	all, err := pebble.AllGatherSlice(p.rank, own)
	for _, refs := range all {
		s.refs = append(s.refs, refs...)
	}
	return err
}

// followMost is how many references a step follows.
const followMost = 4

// follow reads a value and those that it leads to.
func (s *stores) follow(number uint64) error {
	at, a := int(mix(number, 29)%uint64(len(s.refs))), s.heap.Array()
	ref := s.refs[at]
	for i := range followMost {
		var v value
		switch mix(number, uint64(1000+i)) % 4 {
		case 0:
			v = memory.Get(s.space, ref)
		case 1:
			v = a.Get(a.Index(ref))
		case 2:
			one := make([]value, 1)
			a.Gather(one, []uint64{a.Index(ref)})
			v = one[0]
		default:
			row := make([]value, s.program.Values) // of the same rank, or the next one
			lo := min(a.Index(ref), a.Len()-uint64(len(row)))
			a.GetRange(lo, row)
			v = row[a.Index(ref)-lo]
		}
		next, ok := s.program.nextValue(at)
		if v.Word != s.wordOf(at) || v.Next.IsNil() == ok || ok && v.Next != s.refs[next] {
			return fmt.Errorf("rank %d has read %+v as value %d of the heap, whose word is %#x",
				s.program.rank.ID(), v, at, s.wordOf(at))
		}
		if !ok {
			break
		}
		at, ref = next, v.Next
	}
	return nil
}
