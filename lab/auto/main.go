package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

func main() { program().Main() }

// options are the flags of this program.
type options struct {
	*lab.Session
	most int // runs of the best, the defaults and auto
	runs int // of pebbles tune
}

func program() lab.Program {
	var o options
	return lab.Program{Name: "auto", Flags: "pebbles repeats small only page", Repeats: 7, Own: func(f *flag.FlagSet) {
		f.IntVar(&o.most, "most", 42, "runs of the best, the defaults and auto at most: there are more than -repeats until the medians are certain to 3 %")
		f.IntVar(&o.runs, "runs", 64, "runs of pebbles tune at most")
	}, Run: func(ctx context.Context, s *lab.Session) error {
		o.Session = s
		return o.auto(ctx)
	}}
}

func (o options) auto(ctx context.Context) error {
	if o.most < 1 || o.runs < 1 {
		return lab.UsageError{Err: fmt.Errorf("-most %d, -runs %d: give 1 or more", o.most, o.runs)}
	}
	if o.Small {
		o.Repeats, o.most, o.runs = 1, 1, 3
	}
	scratch, err := os.MkdirTemp("", "pebbles-auto-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	rows, err := (&measurement{options: o, ctx: ctx, scratch: scratch}).all(regexp.MustCompile(o.Only)) // which is checked
	if err != nil {
		return err
	}
	return o.Publish("auto", section(o, rows))
}

// section is the part of the page.
func section(o options, rows []row) string {
	t := lab.NewTable("application", "transport", "best setting", "time", "runs", "defaults", "auto, fresh", "ended with", "auto, tuned", "ended with")
	for _, r := range rows {
		t.Row(r.application, r.transport, r.best, fmt.Sprintf("%.0f ms", 1000*r.seconds.Median), r.runs, r.defaults, r.fresh, r.chose, r.tuned, r.knows)
	}
	return strings.Join([]string{
		"# Jobs that tune themselves",
		fmt.Sprintf("%s Jobs have %d ranks; figures are medians of %d to %d runs: as many as make ratios certain to %.2f.",
			lab.Made("make -C lab auto"), ranks, o.Repeats, o.most, enough),
		"The best setting is that of a full sweep over topologies, factors and caches, three runs each, measured again beside the others.\n" +
			"1 is as fast as it, and after \"±\" stands within how much the median is for 95 %. All of these are whole runs, experiments included. " +
			"Fresh is auto after `pebbles fit`, tuned is auto after `pebbles tune`.",
		t.String(),
	}, "\n\n")
}
