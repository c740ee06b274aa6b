package worlds

import (
	"math/bits"
	"slices"
)

// kind is the work of a target's handler.
type kind int

const (
	plainKind       kind = iota // counts them, and sends children
	combineKind                 // sums; pebbles to a key may be merged
	concatenateKind             // counts items; pebbles to a key may be joined
	duplicatesKind              // keeps a set; equal pebbles may be dropped
	firstKind                   // records that there was one; later ones may be dropped
	bestKind                    // keeps the largest; smaller ones may be dropped
	kinds
)

func (w *World) kind(target int) kind {
	k := w.Kinds
	for range target {
		k /= int(kinds)
	}
	return kind(k % int(kinds))
}

// message is a pebble of any target.
type message struct {
	ID   uint64
	Key  uint32
	Left uint32 // remaining length of the chain
}

// tally is the state that a target's handler keeps for a key.
type tally struct{ Count, Sum, Largest, Set uint64 }

// add is the handler's work.
func (t *tally) add(k kind, v message) {
	switch k {
	case combineKind:
		t.Sum += v.ID
	case concatenateKind:
		for items := v.ID; items > 0; items >>= itemBits {
			t.Count++
			t.Sum += items & (1<<itemBits - 1)
		}
	case firstKind:
		t.Set = 1
	case duplicatesKind:
		t.Set |= 1 << (v.ID % 64)
	case bestKind:
		t.Largest = max(t.Largest, v.ID)
	default:
		t.Count++
		t.Sum += v.ID
	}
}

// joined concatenates the items of two pebbles, if they fit: their identities are lists of items that are not 0.
func joined(held, next message) (message, bool) {
	if bits.Len64(held.ID)+bits.Len64(next.ID)+itemBits > 64 {
		return message{}, false
	}
	for items := next.ID; items > 0; items >>= itemBits {
		held.ID = held.ID<<itemBits | items&(1<<itemBits-1)
	}
	return held, true
}

const itemBits = 8

// addressed is a pebble and its target.
type addressed struct {
	message
	target int
}

// make makes the pebble of an identity.
func (w *World) make(id uint64, left int) addressed {
	a := addressed{message{ID: id, Left: uint32(left)}, int(mix(id, 1) % uint64(w.Targets))}
	if mix(id, 2)%100 >= uint64(w.Hot) {
		a.Key = uint32(mix(id, 3) % uint64(w.Keys))
	}
	if w.kind(a.target) != plainKind {
		a.Left = 0
		a.ID = 1 + a.ID%64
	}
	return a
}

// first returns the pebbles that a rank's main function sends in an epoch.
func (w *World) first(rank, epoch int) []addressed {
	seed := mix(mix(w.Seed, uint64(rank)), uint64(epoch))
	all := make([]addressed, mix(seed, 4)%uint64(w.Pebbles+1))
	for i := range all {
		all[i] = w.make(mix(seed, uint64(1000+i)), w.Depth-1)
	}
	return all
}

// children calls send for the pebbles that the handler of v sends.
func (w *World) children(v message, send func(addressed)) {
	if v.Left == 0 {
		return
	}
	for i := range mix(v.ID, 5) % uint64(w.Fan+1) {
		send(w.make(mix(v.ID, 1000+i), int(v.Left)-1))
	}
}

// twin is the result of a serial program: after each epoch, by target and key.
type twin struct {
	after   [][]tally
	sums    [][]uint64 // of the array, after each epoch, by key
	ledgers []*ledger  // of tasks, after each epoch
	pebbles int        // in total, except those that implement tasks
	sent    int        // of these, sent by main functions
	jobs    int        // total number of tasks
}

func (w *World) twin() twin {
	var t twin
	now, ledger := make([]tally, w.Targets*w.Keys), newLedger(w.Keys)
	sums := make([]uint64, w.Keys)
	for epoch := range w.Epochs {
		for rank := range w.Ranks {
			left := w.first(rank, epoch)
			t.sent += len(left)
			for _, j := range w.jobs(rank, epoch) {
				w.runAsTwin(j, ledger, func(a addressed) { left = append(left, a) })
			}
			for len(left) > 0 {
				a := left[len(left)-1]
				left = left[:len(left)-1]
				t.pebbles++
				now[a.target*w.Keys+int(a.Key)].add(w.kind(a.target), a.message)
				if at, yes := w.adds(w.kind(a.target), a.message); yes {
					sums[at] += a.ID
				}
				w.children(a.message, func(child addressed) { left = append(left, child) })
			}
		}
		t.after = append(t.after, slices.Clone(now))
		t.ledgers = append(t.ledgers, ledger.clone())
		t.sums = append(t.sums, slices.Clone(sums))
	}
	t.jobs = int(ledger.Tasks)
	return t
}

// mix returns a number that depends on two others, by SplitMix64.
func mix(seed, n uint64) uint64 {
	z := seed + (n+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
