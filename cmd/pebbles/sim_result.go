package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio/sim"
)

// simulated is the result of a simulated run.
type simulated struct {
	outcome outcome
	Network string `json:"network"`
	sim.Stats
}

// report prints the result of one run and returns an error if it is wrong.
func (s *simulation) report(j *job, r simulated) error {
	var err error
	if j.settings.JSON {
		err = r.encode(j)
	} else {
		err = r.table(j)
	}
	if err := written(err); err != nil {
		return err
	}
	return r.judge()
}

// judge returns an error if the result is wrong.
func (r simulated) judge() error {
	if n := r.outcome.report.Errors; n > 0 {
		return &failure{launch.ExitError, fmt.Errorf("the result is wrong: the verifier found %s", counted(n, "error", "errors"))}
	}
	return nil
}

// encode prints the application's JSON object with the simulation's added.
func (r simulated) encode(j *job) error {
	whole, err := json.Marshal(r.outcome.whole)
	if err != nil {
		return err
	}
	more, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.stdout, "%s,\"simulation\":%s}\n", whole[:len(whole)-1], more)
	return err
}

// table prints the application's table with more rows.
func (r simulated) table(j *job) error {
	t := tabwriter.NewWriter(j.stdout, 0, 0, 2, ' ', 0)
	for _, row := range append(r.outcome.table(j.settings), r.rows()...) {
		fmt.Fprintf(t, "%s\t%s\n", row[0], row[1])
	}
	return t.Flush()
}

func (r simulated) rows() [][2]string {
	rows := [][2]string{
		{"predicted", fmt.Sprintf("%s of virtual time for the kernel, on the network %q", secondsText(r.outcome.report.Seconds), r.Network)},
		{"buffers", fmt.Sprintf("%d at most on a rank", r.outcome.report.Memory.Buffers)},
		{"hops", fmt.Sprintf("%.3f a pebble in the mean", r.hops())},
		{"termination", fmt.Sprintf("%s of detection in all, %.1f a rank", counted(r.outcome.report.Counters.DetectionSent, "message", "messages"),
			r.each(r.outcome.report.Counters.DetectionSent))},
		{"network", fmt.Sprintf("%s in all: %s within processes, %s within hosts, %s between hosts", counted(r.Frames, "frame", "frames"),
			grouped(r.WithinProcess), grouped(r.WithinHost), grouped(r.BetweenHosts))},
	}
	faults := those([]amount{{r.Delayed, "delayed"}, {r.Lost, "lost"}, {r.Duplicated, "doubled"}, {r.Corrupted, "damaged"}})
	if faults != "" {
		rows = append(rows, [2]string{"faults", faults})
	}
	return rows
}

// hops is the mean number of hops of a pebble. A pebble that stays on its rank counts as one hop.
func (r simulated) hops() float64 {
	c := r.outcome.report.Counters
	if c.PebblesHandled == 0 {
		return 0
	}
	return 1 + float64(c.Forwarded)/float64(c.PebblesHandled)
}
