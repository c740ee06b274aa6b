package bfs

import "github.com/activepebbles/pebbles/apps/distgraph"

// lines are vertices that wait, by level. A vertex stands in a line once for each time that its level fell to that
// line's, so at most once in each: who finds a vertex in a line above its level passes it over. What is emptied is used
// again, so that memory is for the vertices that wait at the same time, and 24 bytes for each level.
type lines[V vertex] struct {
	byLevel [][]V
	from    int // no line below it has a vertex
	count   int // of vertices in all lines
	free    [][]V
	inOrder distgraph.Arranger[V]
	sorted  int // the level whose line was put in order last
}

const noLine = -1

func (l *lines[V]) clear() {
	for level := range l.byLevel {
		l.recycle(level)
	}
	l.from, l.count, l.sorted = 0, 0, noLine
}

func (l *lines[V]) recycle(level int) {
	if line := l.byLevel[level]; cap(line) > 0 {
		l.free = append(l.free, line[:0])
		l.byLevel[level] = nil
	}
}

func (l *lines[V]) join(v, level V) {
	for int(level) >= len(l.byLevel) {
		l.byLevel = append(l.byLevel, nil)
	}
	line := l.byLevel[level]
	if last := len(l.free) - 1; cap(line) == 0 && last >= 0 {
		line, l.free = l.free[last], l.free[:last]
	}
	l.byLevel[level] = append(line, v)
	l.from = min(l.from, int(level))
	l.count++
}

// lowest returns the lowest level at which a vertex waits. There must be one. When it was another level the last time,
// it puts the line in order.
func (l *lines[V]) lowest() V {
	for len(l.byLevel[l.from]) == 0 {
		l.recycle(l.from)
		l.from++
	}
	if l.sorted != l.from {
		l.inOrder.Arrange(l.byLevel[l.from])
		l.sorted = l.from
	}
	return V(l.from)
}

// pop removes the vertex that joined the line of this level last, if there is one.
func (l *lines[V]) pop(level V) (v V, ok bool) {
	line := l.byLevel[level]
	last := len(line) - 1
	if last < 0 {
		return 0, false
	}
	l.byLevel[level] = line[:last]
	l.count--
	return line[last], true
}
