package command

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio/sim"
)

// Simulated is the result of a simulated run.
type Simulated struct {
	outcome outcome
	Network string `json:"network"`
	sim.Stats
}

// report prints the result of one run and returns an error if it is wrong.
func (s *Simulation) report(j *Job, r Simulated) error {
	var err error
	if j.settings.JSON() {
		err = r.Encode(j)
	} else {
		err = r.table(j)
	}
	if err := Written(err); err != nil {
		return err
	}
	return r.Judge()
}

// Judge returns an error if the result is wrong.
func (r Simulated) Judge() error {
	if n := r.outcome.report.Errors; n > 0 {
		return &Failure{launch.ExitError, fmt.Errorf("the result is wrong: the verifier found %s", Counted(n, "error",
			"errors"))}
	}
	return nil
}

// Encode prints the application's JSON object together with the simulation's.
func (r Simulated) Encode(j *Job) error {
	whole, err := json.Marshal(r.outcome.whole)
	if err != nil {
		return err
	}
	more, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.Stdout, "%s,\"simulation\":%s}\n", whole[:len(whole)-1], more)
	return err
}

// table prints the application's table with further rows.
func (r Simulated) table(j *Job) error {
	t := tabwriter.NewWriter(j.Stdout, 0, 0, 2, ' ', 0)
	for _, row := range append(r.outcome.table(j.settings), r.rows()...) {
		fmt.Fprintf(t, "%s\t%s\n", row[0], row[1])
	}
	return t.Flush()
}

func (r Simulated) rows() [][2]string {
	rows := [][2]string{
		{"predicted", fmt.Sprintf("%s of virtual time for the kernel, on the network %q",
			SecondsText(r.outcome.report.Seconds), r.Network)},
		{"buffers", fmt.Sprintf("%d at most on a rank", r.outcome.report.Memory.Buffers)},
		{"hops", fmt.Sprintf("%.3f a pebble in the mean", r.Hops())},
		{"termination", fmt.Sprintf("%s of detection in all, %.1f a rank", Counted(r.outcome.report.Counters.DetectionSent,
			"message", "messages"),
			r.Each(r.outcome.report.Counters.DetectionSent))},
		{"network", fmt.Sprintf("%s in all: %s within processes, %s within hosts, %s between hosts", Counted(r.Frames,
			"frame", "frames"),
			Grouped(r.WithinProcess), Grouped(r.WithinHost), Grouped(r.BetweenHosts))},
	}
	faults := those([]amount{{r.Delayed, "delayed"}, {r.Lost, "lost"}, {r.Duplicated, "doubled"}, {r.Corrupted,
		"damaged"}})
	if faults != "" {
		rows = append(rows, [2]string{"faults", faults})
	}
	return rows
}

// Hops returns the mean number of hops of a pebble. A pebble that stays on its rank counts as one hop.
func (r Simulated) Hops() float64 {
	c := r.outcome.report.Counters
	if c.PebblesHandled == 0 {
		return 0
	}
	return 1 + float64(c.Forwarded)/float64(c.PebblesHandled)
}

// Report returns the application's measurements.
func (r Simulated) Report() apps.Report { return r.outcome.report }

// Each divides a count by the number of ranks.
func (r Simulated) Each(count uint64) float64 {
	return float64(count) / float64(r.outcome.report.Ranks)
}
