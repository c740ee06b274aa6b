package route

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Links are the marks of a job's links and ranks: which of them nothing is to be routed through (dynamic routing for fault
// tolerance; Active Pebbles, section 3.4). Any goroutine may use them. Looking takes no lock; marking copies all marks, of
// which there are few.
//
// Marks are a rank's own view: whoever marks tells the other ranks, by sending them the [Mark] to apply. While views differ
// a pebble may go a longer way, or back and forth; when they agree again it arrives.
type Links struct {
	mu  sync.Mutex // held by whoever changes marks
	now atomic.Pointer[marks]
}

// marks are all marks at one moment. They never change.
type marks struct {
	version uint64
	links   map[[2]int]bool // by both ends, the lower first
	ranks   map[int]bool
}

var noMarks = &marks{}

// NewLinks makes links of which none is marked.
func NewLinks() *Links { return &Links{} }

func (l *Links) marks() *marks {
	if now := l.now.Load(); now != nil {
		return now
	}
	return noMarks
}

// Version counts the changes so far. Cost: one atomic load.
func (l *Links) Version() uint64 { return l.marks().version }

// Down tells that the link between two ranks is marked.
func (l *Links) Down(a, b int) bool { return l.marks().down(a, b) }

// RankDown tells that a rank is marked.
func (l *Links) RankDown(rank int) bool { return l.marks().ranks[rank] }

// Mark marks the link between two ranks, in both directions, or takes the mark away.
func (l *Links) Mark(a, b int, down bool) {
	l.change(func(m *marks) bool { return put(m.links, between(a, b), down) })
}

// MarkRank marks a rank, or takes the mark away. Nothing is routed through a marked rank; it still sends its own pebbles and
// receives those for it.
func (l *Links) MarkRank(rank int, down bool) {
	l.change(func(m *marks) bool { return put(m.ranks, rank, down) })
}

// Apply does what a mark says.
func (l *Links) Apply(m Mark) {
	if m.To == -1 {
		l.MarkRank(m.From, m.Down)
	} else {
		l.Mark(m.From, m.To, m.Down)
	}
}

// change makes the next marks from a copy of those there are, unless nothing changes.
func (l *Links) change(edit func(*marks) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.marks()
	next := &marks{now.version + 1, copied(now.links), copied(now.ranks)}
	if edit(next) {
		l.now.Store(next)
	}
}

func copied[K comparable](set map[K]bool) map[K]bool {
	next := make(map[K]bool, len(set)+1)
	maps.Copy(next, set)
	return next
}

// put puts a key into a set or takes it out, and tells whether that changes it.
func put[K comparable](set map[K]bool, key K, in bool) bool {
	if set[key] == in {
		return false
	}
	if in {
		set[key] = true
	} else {
		delete(set, key)
	}
	return true
}

func between(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// Marks lists what is marked: links and then ranks, in order of rank.
func (l *Links) Marks() []Mark { return l.marks().list() }

func (m *marks) none() bool           { return len(m.links) == 0 && len(m.ranks) == 0 }
func (m *marks) down(a, b int) bool   { return len(m.links) > 0 && m.links[between(a, b)] }
func (m *marks) closed(rank int) bool { return len(m.ranks) > 0 && m.ranks[rank] }

func (m *marks) list() []Mark {
	all := make([]Mark, 0, len(m.links)+len(m.ranks))
	for ends := range m.links {
		all = append(all, Mark{From: ends[0], To: ends[1], Down: true})
	}
	slices.SortFunc(all, func(a, b Mark) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	for _, rank := range slices.Sorted(maps.Keys(m.ranks)) {
		all = append(all, Mark{From: rank, To: -1, Down: true})
	}
	return all
}

// String names what is marked, the first few.
func (m *marks) String() string {
	return listed(m.list(), Mark.String)
}

// listed writes the first few of a list, and how many more there are.
func listed[T any](all []T, word func(T) string) string {
	const few = 8
	words := make([]string, 0, few+1)
	for _, v := range all[:min(few, len(all))] {
		words = append(words, word(v))
	}
	if more := len(all) - few; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}
