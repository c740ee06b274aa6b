// Package stacks reports the stacks of the goroutines of this process: equal stacks once, with their ranks. It serves a
// process that is about to end.
package stacks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// rankLabel is the pprof label of a rank's goroutines, also in profiles.
const rankLabel = "rank"

// Label labels the calling goroutine, and all goroutines and coroutines that it starts from then on, as those of a
// rank.
func Label(ctx context.Context, rank int) {
	pprof.SetGoroutineLabels(WithRank(ctx, rank))
}

// WithRank returns the labels of a rank's goroutines.
func WithRank(ctx context.Context, rank int) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(rankLabel, strconv.Itoa(rank)))
}

// group is a set of goroutines with equal stacks.
type group struct {
	ranks map[int]int // number of goroutines of each rank; -1 for those without a rank
	stack string      // one line per call, the innermost first
}

// turn is the innermost function of a waiting coroutine, as pprof shows it.
const turn = "iter.Pull["

// pauses reports whether the goroutines wait for their turn.
func (g *group) pauses() bool { return strings.HasPrefix(g.stack, "\t"+turn) }

func (g *group) count() (n int) {
	for _, m := range g.ranks {
		n += m
	}
	return n
}

// Write writes each stack once: those that wait for their turn to run come last, and of the others the rarest first,
// since they show the difference. It stops all goroutines for a moment.
func Write(w io.Writer) error {
	all := groups()
	slices.SortStableFunc(all, func(a, b *group) int {
		if p, q := a.pauses(), b.pauses(); p != q {
			return map[bool]int{true: 1, false: -1}[p]
		}
		return a.count() - b.count()
	})
	var b bytes.Buffer
	for _, g := range all {
		fmt.Fprintf(&b, "%s:\n%s\n", g.title(), g.stack)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// title names the ranks of the goroutines.
func (g *group) title() string {
	n := g.count()
	text := "1 goroutine"
	if n > 1 {
		text = fmt.Sprintf("%d goroutines", n)
	}
	ranks := g.known()
	switch {
	case len(ranks) == 1:
		text += fmt.Sprintf(" of rank %d", ranks[0])
	case len(ranks) > 1:
		text += " of ranks " + state.Spans(ranks)
	}
	if g.pauses() {
		text += ", waiting for a turn"
	}
	return text
}

// Of returns the stacks of a rank's goroutines that have one of the functions among their calls, by pprof's names, and
// don't wait for their turn.
func Of(rank int, functions ...string) (stacks []string) {
	for _, g := range groups() {
		if g.ranks[rank] == 0 || g.pauses() {
			continue
		}
		if slices.ContainsFunc(functions, func(f string) bool { return strings.Contains(g.stack, f) }) {
			stacks = append(stacks, g.stack)
		}
	}
	return stacks
}

// Calls returns the stacks of all ranks of this process, from their functions on. It leaves out goroutines that wait
// for their turn to run.
func Calls() (all []state.Calls) {
	for _, g := range groups() {
		if calls := g.calls(); len(calls) > 0 && !g.pauses() {
			all = append(all, state.Calls{Ranks: g.known(), Calls: calls})
		}
	}
	return all
}

// outermost are the functions of the engine that call the program's.
var outermost = []string{".(*job).runRank", ".(*Rank).Coroutine"}

// calls returns the calls within the function of a rank, as "function file:line" without folders; nil for other
// goroutines.
func (g *group) calls() (calls []string) {
	for line := range strings.Lines(g.stack) {
		function, place, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.ContainsFunc(outermost, func(o string) bool { return strings.HasSuffix(function, o) }) {
			return calls
		}
		calls = append(calls, path.Base(function)+" "+path.Base(place))
	}
	return nil
}

// known returns the ranks of the goroutines.
func (g *group) known() (ranks []int) {
	for rank := range g.ranks {
		if rank >= 0 {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	return ranks
}

// groups reads pprof's profile of goroutines in its text form, whose groups differ by labels too.
func groups() (all []*group) {
	var text bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&text, 1); err != nil {
		return nil // a buffer never fails
	}
	known := map[string]*group{}
	for block := range strings.SplitSeq(text.String(), "\n\n") {
		n, rank, stack := parse(block)
		if n == 0 {
			continue
		}
		g := known[stack]
		if g == nil {
			g = &group{ranks: map[int]int{}, stack: stack}
			known[stack] = g
			all = append(all, g)
		}
		g.ranks[rank] += n
	}
	return all
}

// parse parses one group of pprof: "2 @ 0x1 0x2", "# labels: {...}" and a line "# address function+offset file:line"
// for each call.
func parse(block string) (n, rank int, stack string) {
	rank = -1
	var b strings.Builder
	for line := range strings.SplitSeq(block, "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) > 1 && fields[1] == "@":
			n, _ = strconv.Atoi(fields[0])
		case strings.HasPrefix(line, "# labels:"):
			if _, after, ok := strings.Cut(line, strconv.Quote(rankLabel)+":"); ok {
				text, _, _ := strings.Cut(strings.TrimPrefix(after, `"`), `"`)
				if r, err := strconv.Atoi(text); err == nil {
					rank = r
				}
			}
		case len(fields) == 4 && fields[0] == "#":
			function, _, _ := strings.Cut(fields[2], "+0x")
			fmt.Fprintf(&b, "\t%s %s\n", function, fields[3])
		}
	}
	return n, rank, b.String()
}
