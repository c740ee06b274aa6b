package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/activepebbles/pebbles/lab"
)

var columns = []string{"application", "transport", "ranks", "measured", "lowest", "highest", "spread", "simulated", "simulated / measured", "spread"}

// row is a cell in words.
func (c *cell) row() []string {
	return []string{c.app, c.transport, fmt.Sprint(c.ranks), ms(mean(c.measured)), ms(slices.Min(c.measured)), ms(slices.Max(c.measured)),
		ms(spread(c.measured)), ms(mean(c.simulated)), fmt.Sprintf("%.2f", c.ratio()), fmt.Sprintf("%.2f", c.apart())}
}

func ms(seconds float64) string { return fmt.Sprintf("%.4g ms", 1e3*seconds) }

// within tells how many cells are simulated within 30 % of what was measured.
func within(cells []*cell) (n int) {
	for _, c := range cells {
		if ratio := c.ratio(); ratio >= 0.7 && ratio <= 1.3 {
			n++
		}
	}
	return n
}

func table(w io.Writer, cells []*cell) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	for _, c := range cells {
		fmt.Fprintln(t, strings.Join(c.row(), "\t"))
	}
	fmt.Fprintf(t, "%d of %d within 30 %%\n", within(cells), len(cells))
	return t.Flush()
}

// markdown is the part of the page.
func (o options) markdown(cells []*cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Simulated against measured

Made by %s on %s: %v.

What `+"`pebbles sim`"+` predicts for this machine, and what the same jobs take on it; over TCP each rank is a process. In each of %d rounds
the machine's parameters were measured by `+"`pebbles fit`"+`, and what pebbles of the applications cost by `+"`pebbles fit --app`"+`, with as many
ranks in one process on one core: never by the jobs that are predicted, which have two cores, or processes and TCP. The jobs were
measured three times, once before and twice after that, and simulated with the parameters of their round. Times are means, since this machine
is now slow and now fast, and a median is one or the other; "spread" is the median distance, of times to their median and of the rounds' ratios to that of all. Of %d jobs %d are simulated within 30 %% of their time.

`, "`"+o.line()+"`", time.Now().UTC().Format("2006-01-02"), lab.ThisMachine(), o.rounds, len(cells), within(cells))
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, c := range cells {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(c.row(), " | "))
	}
	return b.String()
}
