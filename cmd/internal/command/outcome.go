package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/internal/values"
)

// outcome is an application's result, in both printed forms.
type outcome struct {
	report apps.Report
	whole  any         // for JSON
	rows   [][2]string // the application's own rows of the table
}

// print writes the result: one JSON object on one line, or a table.
func (o outcome) print(w io.Writer, s *settings) error {
	if s.JSON() {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(o.whole)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range o.table(s) {
		fmt.Fprintf(t, "%s\t%s\n", row[0], row[1])
	}
	return t.Flush()
}

// table returns the summary: the place of the job, its result, and its cost.
func (o outcome) table(s *settings) [][2]string {
	rows := append([][2]string{{o.report.App, place(o.report)}}, o.rows...)
	rows = append(rows, skippedRows(o.report)...)
	rows = append(rows, o.report.OutputRows()...)
	if t := o.report.Tuned; t != nil {
		rows = append(rows, [2]string{"tuned", t.Reason})
	}
	rows = append(rows, [2]string{"verified", verdict(o.report.Errors)})
	for _, text := range o.report.Wrong {
		rows = append(rows, [2]string{"", text})
	}
	return append(rows,
		[2]string{"time", times(o.report)},
		[2]string{"pebbles", pebblesText(o.report)},
		[2]string{"frames", framesText(o.report)},
		[2]string{"epochs", fmt.Sprintf("%s, %s of %s", Grouped(o.report.Counters.Epochs),
			Counted(o.report.Counters.Rounds, "round", "rounds"), o.report.Termination)},
		[2]string{"memory", fmt.Sprintf("%s for pebbles at most on a rank, %s resident at most in a process%s",
			BytesText(o.report.Memory.BuffersPeak), BytesText(o.report.Memory.ResidentPeak), connections(o.report))},
	)
}

func connections(r apps.Report) string {
	if r.Connections == 0 {
		return ""
	}
	return ", and " + Plural(r.Connections, "connection", "connections")
}

func place(r apps.Report) string {
	text := fmt.Sprintf("%s in %s, %s transport", Plural(r.Ranks, "rank", "ranks"), Plural(r.Procs, "process",
		"processes"), r.Transport)
	if r.Tuned != nil {
		return text + ", and begins with " + settingText(r)
	}
	return text + ", " + settingText(r)
}

func settingText(r apps.Report) string {
	text := fmt.Sprintf("%s topology, up to %s a buffer", r.Topology, Plural(r.Coalesce, "pebble", "pebbles"))
	if r.Cache > 0 {
		text += ", cache of " + Plural(r.Cache, "entry", "entries")
	}
	return text
}

func verdict(errors uint64) string {
	if errors == 0 {
		return "yes"
	}
	return "NO: " + Counted(errors, "error", "errors")
}

func times(r apps.Report) string {
	return fmt.Sprintf("%s, and %s to set up, %s to verify", SecondsText(r.Seconds), SecondsText(r.SetUp),
		SecondsText(r.Verify))
}

func pebblesText(r apps.Report) string {
	c := r.Counters
	text := fmt.Sprintf("%s sent, %s handled, %s forwarded, %s merged",
		Grouped(c.PebblesSent), Grouped(c.PebblesHandled), Grouped(c.Forwarded), Grouped(c.Merged))
	if c.MergedAtHops > 0 {
		text += fmt.Sprintf(" (%s at hops)", Grouped(c.MergedAtHops))
	}
	if c.Rescued > 0 {
		text += fmt.Sprintf(", %s rescued from links marked down", Grouped(c.Rescued))
	}
	return text
}

func framesText(r apps.Report) string {
	c := r.Counters
	text := fmt.Sprintf("%s sent, %s", Grouped(c.FramesSent), BytesText(int64(c.BytesSent)))
	reasons := those([]amount{{c.FlushFull, "full"}, {c.FlushDue, "due"}, {c.FlushExplicit, "flushed"}, {c.FlushIdle,
		"idle"},
		{c.FlushPeriodic, "periodic"}, {c.FlushDeep, "deep"}})
	if reasons != "" {
		text += ": " + reasons
	}
	waits := those([]amount{{c.CreditWaits, "waited for credit"}, {c.Held, "held back"}})
	if waits != "" {
		text += "; " + waits
	}
	return text
}

// amount is a number of things.
type amount struct {
	n    uint64
	what string
}

// those lists the amounts that are not 0.
func those(all []amount) string {
	var some []string
	for _, a := range all {
		if a.n > 0 {
			some = append(some, Grouped(a.n)+" "+a.what)
		}
	}
	return strings.Join(some, ", ")
}

func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Counted formats a number, which may be large, with a noun.
func Counted(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Grouped formats a number with a comma between thousands.
func Grouped(n uint64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func SecondsText(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	}
	return d.String()
}

// BytesText formats a number of bytes in binary units.
func BytesText(n int64) string { return values.BytesText(n) }
