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

// Links are the marks of a job's links and ranks. Nothing is routed over a marked link or through a marked rank
// (dynamic routing for fault tolerance; Active Pebbles, section 3.4). Any goroutine may use them. Reading takes no
// lock; marking copies all marks, which are few.
//
// Marks are a process's own view. The caller of Issue sends the returned [Mark] to all other processes, which Apply it.
// Marks of one link have a total order, so views agree as soon as all marks have arrived everywhere, in any order.
// While views differ a pebble may take a longer way, or go back and forth; when they agree it arrives.
type Links struct {
	mu    sync.Mutex // held while marks change
	clock uint64     // highest Count that was issued or applied
	now   atomic.Pointer[marks]
}

// marks are all marks at one moment. They never change.
type marks struct {
	version uint64
	links   map[[2]int]bool // by both ends, the lower first
	ranks   map[int]bool
	last    map[[2]int]Mark // last mark of each link and rank, also if it removed the mark; To is -1 for a rank
}

var noMarks = &marks{}

// NewLinks returns Links without marks.
func NewLinks() *Links { return &Links{} }

func (l *Links) marks() *marks {
	if now := l.now.Load(); now != nil {
		return now
	}
	return noMarks
}

// Version returns the number of changes so far. Cost: one atomic load.
func (l *Links) Version() uint64 { return l.marks().version }

// Down reports whether the link between two ranks is marked.
func (l *Links) Down(a, b int) bool { return l.marks().down(a, b) }

// RankDown reports whether a rank is marked.
func (l *Links) RankDown(rank int) bool { return l.marks().ranks[rank] }

// local is the issuer of marks in one view alone.
const local = -1

// Mark marks the link between two ranks, in both directions, or removes the mark, in this view alone: for planning and
// tests. Rank.MarkLink of package pebble marks in the whole job.
func (l *Links) Mark(a, b int, down bool) { l.Issue(Mark{From: a, To: b, Down: down}, local) }

// MarkRank is Mark for a rank. Nothing is routed through a marked rank; it still sends its own pebbles and receives
// those for it.
func (l *Links) MarkRank(rank int, down bool) { l.Issue(Mark{From: rank, To: -1, Down: down}, local) }

// Issue makes m a mark by a rank, later than all marks in this view, applies it, and returns it for other processes.
func (l *Links) Issue(m Mark, by int) Mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.Count, m.By = l.clock+1, by
	l.apply(m)
	return m
}

// Apply applies a mark that was issued elsewhere, unless the view has a later one of the same link or rank.
func (l *Links) Apply(m Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.apply(m)
}

// apply makes the next marks from a copy of the current ones.
func (l *Links) apply(m Mark) {
	l.clock = max(l.clock, m.Count)
	now, key := l.marks(), [2]int{m.From, -1}
	if m.To != -1 {
		key = between(m.From, m.To)
	}
	if last, ok := now.last[key]; ok && !m.after(last) {
		return
	}
	m.From, m.To = key[0], key[1]
	next := &marks{now.version, now.links, now.ranks, copied(now.last)}
	next.last[key] = m
	switch was := now.last[key].Down; {
	case was == m.Down:
	case m.To == -1:
		next.ranks = with(now.ranks, m.From, m.Down)
		next.version++
	default:
		next.links = with(now.links, key, m.Down)
		next.version++
	}
	l.now.Store(next)
}

func copied[K comparable, V any](from map[K]V) map[K]V {
	next := make(map[K]V, len(from)+1)
	maps.Copy(next, from)
	return next
}

// with returns a copy of a set with a key added or removed.
func with[K comparable](set map[K]bool, key K, in bool) map[K]bool {
	next := copied(set)
	if in {
		next[key] = true
	} else {
		delete(next, key)
	}
	return next
}

func between(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// Marks returns all marks: links and then ranks, in order of rank.
func (l *Links) Marks() []Mark { return l.marks().list() }

func (m *marks) none() bool           { return len(m.links) == 0 && len(m.ranks) == 0 }
func (m *marks) down(a, b int) bool   { return len(m.links) > 0 && m.links[between(a, b)] }
func (m *marks) closed(rank int) bool { return len(m.ranks) > 0 && m.ranks[rank] }

func (m *marks) list() []Mark {
	all := make([]Mark, 0, len(m.links)+len(m.ranks))
	for _, last := range m.last {
		if last.Down {
			all = append(all, last)
		}
	}
	slices.SortFunc(all, func(a, b Mark) int {
		return cmp.Or(cmp.Compare(min(b.To, 0), min(a.To, 0)), a.From-b.From, a.To-b.To)
	})
	return all
}

// String names the first few marks.
func (m *marks) String() string {
	return listed(m.list(), Mark.String)
}

// listed formats the first few elements of a list, and the number of the others.
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
