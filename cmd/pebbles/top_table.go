package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A column is one of a table with rows of a type.
type column[R any] struct {
	title   string
	text    func(*R) string
	compare func(a, b *R) int // in the order in which one wants to see it: the most first, but the first rank first
}

// A table is rows of a job in an order, of which some are shown. The last column takes what the others leave, and its
// texts begin at the left.
type table[R any] struct {
	name     string // of the rows
	columns  []column[R]
	by       int  // the column that they are sorted by
	reversed bool // the other way round
	first    int  // the first row that is shown
	rows     []R  // in order
}

// put puts in new rows.
func (t *table[R]) put(rows []R) {
	t.rows = rows
	t.sort()
}

// sort keeps rows that are equal in the order of the first column that has one.
func (t *table[R]) sort() {
	slices.SortStableFunc(t.rows, func(a, b R) int {
		order := t.columns[t.by].compare(&a, &b)
		if t.reversed {
			order = -order
		}
		return order
	})
}

// move sorts by another column, so many to the right.
func (t *table[R]) move(columns int) {
	n := len(t.columns)
	t.by = (t.by + columns + n) % n
	t.sort()
}

func (t *table[R]) reverse() {
	t.reversed = !t.reversed
	t.sort()
}

// scroll shows rows so much further down, where so many fit.
func (t *table[R]) scroll(rows, fit int) {
	t.first = max(0, min(t.first+rows, len(t.rows)-fit))
}

// caption says which rows are shown.
func (t *table[R]) caption(fit int) string {
	order := ""
	if t.reversed {
		order = ", reversed"
	}
	shown := fmt.Sprintf("%d", len(t.rows))
	if last := min(t.first+fit, len(t.rows)); last-t.first < len(t.rows) {
		shown = fmt.Sprintf("%d-%d of %d", t.first+1, last, len(t.rows))
	}
	return fmt.Sprintf("%s: %s, sorted by %s%s", t.name, shown, t.columns[t.by].title, order)
}

// lines are the titles, and the rows that fit. They are as wide as the widest row of all, so that nothing moves
// sideways when one scrolls. A width of 0 is none.
func (t *table[R]) lines(width, fit int) []string {
	cells := make([][]string, 1+len(t.rows))
	widths := make([]int, len(t.columns))
	for k, c := range t.columns {
		for i := range cells {
			text := c.title
			if i > 0 {
				text = c.text(&t.rows[i-1])
			}
			cells[i] = append(cells[i], text)
			widths[k] = max(widths[k], utf8.RuneCountInString(text))
		}
	}
	last := min(t.first+fit, len(t.rows))
	all := make([]string, 0, 1+last-t.first)
	for _, row := range append(cells[:1:1], cells[1+t.first:1+last]...) {
		all = append(all, cut(line(row, widths), width))
	}
	return all
}

// line is a row, of which all cells but the last one end at the right.
func line(cells []string, widths []int) string {
	var b strings.Builder
	last := len(cells) - 1
	for k, text := range cells[:last] {
		fmt.Fprintf(&b, "%*s ", widths[k], text)
	}
	return strings.TrimRight(b.String()+cells[last], " ")
}
