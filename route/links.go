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

// Links are the marks of a job's links and ranks: which of them nothing is to be routed through (dynamic routing for
// fault tolerance; Active Pebbles, section 3.4). Any goroutine may use them. Looking takes no lock; marking copies all
// marks, of which there are few.
//
// Marks are a process's own view: whoever marks tells the others, by sending them the [Mark] that Issue returns, to
// Apply. Marks of one link have a total order, so views agree as soon as all marks have come everywhere, in whatever
// order. While views differ a pebble may go a longer way, or back and forth; when they agree it arrives.
type Links struct {
	mu    sync.Mutex // held by whoever changes marks
	clock uint64     // the highest Count that was issued or applied
	now   atomic.Pointer[marks]
}

// marks are all marks at one moment. They never change.
type marks struct {
	version uint64
	links   map[[2]int]bool // by both ends, the lower first
	ranks   map[int]bool
	last    map[[2]int]Mark // the last of each link and rank, also where it took the mark away; To is -1 for a rank
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

// Down reports whether the link between two ranks is marked.
func (l *Links) Down(a, b int) bool { return l.marks().down(a, b) }

// RankDown reports whether a rank is marked.
func (l *Links) RankDown(rank int) bool { return l.marks().ranks[rank] }

// local is who marks in one view alone.
const local = -1

// Mark marks the link between two ranks, in both directions, or takes the mark away: in this view alone, as for
// planning and tests. Rank.MarkLink of package pebble tells the whole job.
func (l *Links) Mark(a, b int, down bool) { l.Issue(Mark{From: a, To: b, Down: down}, local) }

// MarkRank is Mark for a rank. Nothing is routed through a marked rank; it still sends its own pebbles and receives
// those for it.
func (l *Links) MarkRank(rank int, down bool) { l.Issue(Mark{From: rank, To: -1, Down: down}, local) }

// Issue makes m a mark of a rank, later than all that this view knows of, applies it, and returns it for others to
// apply.
func (l *Links) Issue(m Mark, by int) Mark {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.Count, m.By = l.clock+1, by
	l.apply(m)
	return m
}

// Apply does what a mark says that was issued elsewhere, unless a later one of the same link or rank has come.
func (l *Links) Apply(m Mark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.apply(m)
}

// apply makes the next marks from a copy of those there are.
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

// with is a copy of a set with a key in it, or without.
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

// Marks lists what is marked: links and then ranks, in order of rank.
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
