package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// column is a column of a table with rows of one type.
type column[R any] struct {
	title   string
	text    func(*R) string
	compare func(a, b *R) int // preferred order: largest first, but the first rank first
}

// table shows a part of a job's rows in an order. The last column is left-aligned and takes the remaining width.
type table[R any] struct {
	name     string // of the rows
	columns  []column[R]
	by       int  // column of the order
	reversed bool // reverse order
	first    int  // first visible row
	rows     []R  // in order
}

// put puts in new rows.
func (t *table[R]) put(rows []R) {
	t.rows = rows
	t.sort()
}

// sort sorts the rows. Equal rows follow the order of the first column that distinguishes them.
func (t *table[R]) sort() {
	slices.SortStableFunc(t.rows, func(a, b R) int {
		order := t.columns[t.by].compare(&a, &b)
		if t.reversed {
			order = -order
		}
		return order
	})
}

// move sorts by another column, the given number of columns to the right.
func (t *table[R]) move(columns int) {
	n := len(t.columns)
	t.by = (t.by + columns + n) % n
	t.sort()
}

func (t *table[R]) reverse() {
	t.reversed = !t.reversed
	t.sort()
}

// scroll moves the visible rows down by a number, where fit rows are visible.
func (t *table[R]) scroll(rows, fit int) {
	t.first = max(0, min(t.first+rows, len(t.rows)-fit))
}

// caption describes the visible rows.
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

// lines returns the titles and the visible rows. Their width is that of the widest of all rows, so that scrolling does
// not shift the columns. A width of 0 means no limit.
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

// line formats a row. All cells except the last are right-aligned.
func line(cells []string, widths []int) string {
	var b strings.Builder
	last := len(cells) - 1
	for k, text := range cells[:last] {
		fmt.Fprintf(&b, "%*s ", widths[k], text)
	}
	return strings.TrimRight(b.String()+cells[last], " ")
}

// most orders rows by a number, the largest first.
func most[R any, N cmp.Ordered](of func(*R) N) func(a, b *R) int {
	return func(a, b *R) int { return cmp.Compare(of(b), of(a)) }
}

// least orders rows by a number or a text, the smallest first.
func least[R any, N cmp.Ordered](of func(*R) N) func(a, b *R) int {
	return func(a, b *R) int { return cmp.Compare(of(a), of(b)) }
}

// share returns a column for a part of the time.
func share(title string, of func(*shares) float64) column[rankRow] {
	part := func(r *rankRow) float64 { return of(&r.shares) }
	return column[rankRow]{title, func(r *rankRow) string { return partText(part(r)) }, most(part)}
}

// rankTable returns the table of ranks. A sign beside its time marks a rank that has stood still for long.
func rankTable() table[rankRow] {
	rate := func(r *rankRow) float64 { return r.rate }
	handled := func(r *rankRow) uint64 { return r.handled }
	held := func(r *rankRow) int64 { return r.held }
	return table[rankRow]{name: "ranks", columns: []column[rankRow]{
		{"RANK", (*rankRow).name, least(func(r *rankRow) int { return r.first })},
		{"STILL", (*rankRow).stillText, most(func(r *rankRow) float64 { return r.still })},
		{"PEBBLES/S", func(r *rankRow) string { return rateText(r.rate) }, most(rate)},
		{"HANDLED", func(r *rankRow) string { return short(float64(r.handled)) }, most(handled)},
		{"HELD", (*rankRow).heldText, most(held)},
		share("COMP", func(s *shares) float64 { return s.compute }),
		share("HAND", func(s *shares) float64 { return s.handle }),
		share("CRED", func(s *shares) float64 { return s.credit }),
		share("IDLE", func(s *shares) float64 { return s.idle }),
		{"DOING", func(r *rankRow) string { return r.doing }, least(func(r *rankRow) string { return r.doing })},
	}}
}

func (r *rankRow) name() string {
	if r.last-r.first > 1 {
		return fmt.Sprintf("%d-%d", r.first, r.last-1)
	}
	return strconv.Itoa(r.first)
}

func (r *rankRow) stillText() string {
	if r.waits {
		return "!" + spanText(r.still)
	}
	return spanText(r.still)
}

func (r *rankRow) heldText() string {
	if r.held < 0 {
		return "-"
	}
	return BytesText(r.held)
}

// linkTable returns the table of links, fullest first.
func linkTable() table[linkRow] {
	number := func(of func(*linkRow) int64) func(*linkRow) string {
		return func(l *linkRow) string { return short(float64(of(l))) }
	}
	flight := func(l *linkRow) int64 { return l.Flight }
	waiting := func(l *linkRow) int64 { return l.Waiting }
	held := func(l *linkRow) int64 { return l.Bytes }
	age := func(l *linkRow) float64 { return l.AgeSeconds }
	target := func(l *linkRow) string { return l.target }
	return table[linkRow]{name: "links", by: 2, columns: []column[linkRow]{
		{"FROM", func(l *linkRow) string { return strconv.Itoa(l.From) }, least(func(l *linkRow) int { return l.From })},
		{"TO", func(l *linkRow) string { return strconv.Itoa(l.To) }, least(func(l *linkRow) int { return l.To })},
		{"BYTES", func(l *linkRow) string { return BytesText(l.Bytes) }, most(held)},
		{"FLIGHT", number(flight), most(flight)},
		{"WAITING", number(waiting), most(waiting)},
		{"AGE", func(l *linkRow) string { return ageText(l.AgeSeconds) }, most(age)},
		{"TARGET", target, least(target)},
	}}
}

// ageText formats the age of frames; short ages in tenths of a second.
func ageText(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.1fs", seconds)
	}
	return spanText(seconds)
}

// keysHelp is the text for the key ?.
var keysHelp = []string{
	"r        ranks: for how long each has stood still (! from 3 s on), pebbles",
	"         handled a second, handled so far, memory that it holds for pebbles;",
	"         shares of its time in its function and tasks (COMP), in handlers",
	"         (HAND), in waits for credit, room or memory (CRED), in others (IDLE);",
	"         what it does, or waits for",
	"l        links: bytes in them, frames in flight and frames that wait for",
	"         credit, for how long none has come back; of each rank the 16 fullest",
	"< >      sort by another column (also: left, right)",
	"s        reverse the order",
	"up down  scroll (also: PgUp, PgDn, Home, End)",
	"q        quit (also: Esc, Ctrl+C)",
	"",
	"Rates and shares are those of the last 5 s. Of a job of more than 64 ranks",
	"neighbours share a row, and the ten fullest links are shown.",
}
