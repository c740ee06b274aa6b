package main

import (
	"cmp"
	"fmt"
	"strconv"
)

// most orders rows by a number, the largest first.
func most[R any, N cmp.Ordered](of func(*R) N) func(a, b *R) int {
	return func(a, b *R) int { return cmp.Compare(of(b), of(a)) }
}

// least orders rows by a number or a text, the smallest first.
func least[R any, N cmp.Ordered](of func(*R) N) func(a, b *R) int {
	return func(a, b *R) int { return cmp.Compare(of(a), of(b)) }
}

// share is a column of a part of the time.
func share(title string, of func(*shares) float64) column[rankRow] {
	part := func(r *rankRow) float64 { return of(&r.shares) }
	return column[rankRow]{title, func(r *rankRow) string { return partText(part(r)) }, most(part)}
}

// rankTable is the table of ranks. A rank that has stood still for long is marked by a sign beside its time.
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
	return bytesText(r.held)
}

// linkTable is the table of links, which begins with the fullest.
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
		{"BYTES", func(l *linkRow) string { return bytesText(l.Bytes) }, most(held)},
		{"FLIGHT", number(flight), most(flight)},
		{"WAITING", number(waiting), most(waiting)},
		{"AGE", func(l *linkRow) string { return ageText(l.AgeSeconds) }, most(age)},
		{"TARGET", target, least(target)},
	}}
}

// ageText is the age of frames, in tenths of a second where it is short.
func ageText(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.1fs", seconds)
	}
	return spanText(seconds)
}

// keysHelp is what the key ? shows.
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
