package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

func ms(seconds float64) string { return fmt.Sprintf("%.4g ms", 1e3*seconds) }

// within counts the cells that are simulated within 30 % of what was measured.
func within(cells []*cell) (n int) {
	for _, c := range cells {
		if ratio := c.ratio(); ratio >= 0.7 && ratio <= 1.3 {
			n++
		}
	}
	return n
}

// markdown is the part of the page.
func markdown(cells []*cell, rounds int) string {
	t := lab.NewTable("application", "transport", "ranks", "measured", "lowest", "highest", "spread", "simulated", "simulated / measured", "spread")
	for _, c := range cells {
		s := lab.Summarize(c.measured)
		t.Row(c.app, c.transport, c.ranks, ms(mean(c.measured)), ms(s.Min), ms(s.Max), ms(s.Spread), ms(mean(c.simulated)),
			fmt.Sprintf("%.2f", c.ratio()), fmt.Sprintf("%.2f", c.apart()))
	}
	return fmt.Sprintf(`## Simulated against measured

%s

What `+"`pebbles sim`"+` predicts for this machine, and what the same jobs take on it; over TCP each rank is a process. In each of %d rounds
the machine's parameters were measured by `+"`pebbles fit`"+`, and what pebbles of the applications cost by `+"`pebbles fit --app`"+`, with as many
ranks in one process on one core: never by the jobs that are predicted, which have two cores, or processes and TCP. The jobs were
measured three times, once before and twice after that, and simulated with the parameters of their round. Times are means, since this machine
is now slow and now fast, and a median is one or the other; "spread" is the median distance, of times to their median and of the rounds' ratios to that of all. Of %d jobs %d are simulated within 30 %% of their time.

%s`, lab.Made(fmt.Sprintf("make -C lab agree ROUNDS=%d", rounds)), rounds, len(cells), within(cells), t)
}
