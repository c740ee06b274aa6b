package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
)

// job is one run of an application. Its flags have been checked.
type job struct {
	terminal
	name     string
	work     string // the application and the flags that make its work, however it runs
	settings *settings
	member   bool // this process belongs to a job that somebody has started
	run      func(*pebble.Rank, progress) (outcome, error)
}

// start runs the job here, or as several processes.
func (j *job) start() error {
	if j.settings.spread.several() && !j.member {
		return j.launch()
	}
	return j.runRanks()
}

// launch starts this command again as the processes of the job. Process 0 gets the terminal itself, to draw on; the
// lines of the others get a prefix.
func (j *job) launch() error {
	self, err := thisProgram()
	if err != nil {
		return failed(err)
	}
	spec := j.settings.spread.spec(append([]string{self}, j.args...), j.settings.log.logger(j.stderr))
	spec.Stdin, spec.Stdout, spec.Stderr = os.Stdin, unchecked(j.stdout), j.stderr
	result, err := launch.Run(context.Background(), spec)
	var failed *launch.FailedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed) && alreadyReported(failed.First):
		return &failure{status: result.Status}
	}
	return &failure{result.Status, err}
}

// alreadyReported reports whether a process of this command has already printed why it ended.
func alreadyReported(o launch.Outcome) bool {
	return o.Signal == 0 && (o.Status == launch.ExitError || o.Status == launch.ExitPanic)
}

// precedence is the time by which processes other than 0 delay an error: many errors reach all ranks at once, and then
// process 0 reports it and the others end silently.
const precedence = 300 * time.Millisecond

// runRanks runs the ranks of this process, and prints the result where rank 0 is.
func (j *job) runRanks() error {
	stderr := &prefixWriter{to: j.stderr}
	log := j.settings.log.logger(stderr)
	config, err := j.settings.config(log)
	if err != nil {
		return err
	}
	if j.member {
		config.Ranks = j.settings.spread.ranks
		if _, said := os.LookupEnv("PEBBLES_RANKS"); said {
			config.Ranks = 0 // who started the job says how many; see settings.fits
		}
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	bar := newBar(j.stderr, j.name, j.settings.log.quiet)
	if j.settings.Explain {
		config.Explain = j.explain
	}
	var result *outcome // of rank 0
	var joined sync.Once
	err = pebble.RunLaunched(ctx, config, func(r *pebble.Rank) error {
		joined.Do(func() {
			place := r.Place()
			if j.settings.spread.several() { // otherwise its launcher adds the prefix
				stderr.setPlace(place)
			}
			log.Info("process takes part", "pid", os.Getpid(), "process", place.Process, "of", place.Processes,
				"first_rank", place.First, "last_rank", place.Last-1, "ranks", place.Ranks)
		})
		var o outcome
		err := j.settings.fits(r)
		if err == nil {
			o, err = j.run(r, bar.progress(r))
		}
		if errors.Is(err, pebble.ErrExplained) {
			return nil
		}
		if r.ID() == 0 {
			result = &o
		} else if err != nil && r.Place().Process != 0 {
			<-time.After(precedence)
		}
		return err
	})
	bar.clear()
	switch {
	case err != nil:
		return &failure{status: pebble.Tell(stderr, err)}
	case result == nil:
		return nil // rank 0 is elsewhere
	}
	return j.report(*result)
}

// explain prints what the job would do. execute reports a failure to write at the end.
func (j *job) explain(e pebble.Explanation) {
	if j.settings.JSON {
		_ = json.NewEncoder(j.stdout).Encode(e)
	} else {
		_, _ = fmt.Fprint(j.stdout, e)
	}
}

// report prints the result and returns an error if it is wrong.
func (j *job) report(o outcome) error {
	if err := written(o.print(j.stdout, j.settings)); err != nil {
		return err
	}
	if o.report.Errors > 0 {
		return &failure{launch.ExitError, fmt.Errorf("the result is wrong: the verifier found %s: %s",
			counted(o.report.Errors, "error", "errors"), strings.Join(o.report.Wrong, "; "))}
	}
	return nil
}

// written wraps an error in writing a result.
func written(err error) error {
	if err == nil {
		return nil
	}
	return failed(fmt.Errorf("write the result: %w", err))
}

// outcome is an application's result, in both forms in which it is printed.
type outcome struct {
	report apps.Report
	whole  any         // for JSON
	rows   [][2]string // for people: the application's own rows
}

// print writes the result: one JSON object on one line, or a table.
func (o outcome) print(w io.Writer, s *settings) error {
	if s.JSON {
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

// table is the summary for people: where the job ran, its result, and its cost.
func (o outcome) table(s *settings) [][2]string {
	rows := append([][2]string{{o.report.App, place(o.report)}}, o.rows...)
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
		[2]string{"epochs", fmt.Sprintf("%s, %s of %s", grouped(o.report.Counters.Epochs),
			counted(o.report.Counters.Rounds, "round", "rounds"), o.report.Termination)},
		[2]string{"memory", fmt.Sprintf("%s for pebbles at most on a rank, %s resident at most in a process",
			bytesText(o.report.Memory.BuffersPeak), bytesText(o.report.Memory.ResidentPeak))},
	)
}

func place(r apps.Report) string {
	text := fmt.Sprintf("%s in %s, %s transport", plural(r.Ranks, "rank", "ranks"), plural(r.Procs, "process", "processes"), r.Transport)
	if r.Tuned != nil {
		return text + ", and begins with " + settingText(r)
	}
	return text + ", " + settingText(r)
}

func settingText(r apps.Report) string {
	text := fmt.Sprintf("%s topology, %s a buffer", r.Topology, plural(r.Coalesce, "pebble", "pebbles"))
	if r.Cache > 0 {
		text += ", cache of " + plural(r.Cache, "entry", "entries")
	}
	return text
}

func verdict(errors uint64) string {
	if errors == 0 {
		return "yes"
	}
	return "NO: " + counted(errors, "error", "errors")
}

func times(r apps.Report) string {
	return fmt.Sprintf("%s, and %s to set up, %s to verify", secondsText(r.Seconds), secondsText(r.SetUp), secondsText(r.Verify))
}

func pebblesText(r apps.Report) string {
	c := r.Counters
	text := fmt.Sprintf("%s sent, %s handled, %s forwarded, %s merged",
		grouped(c.PebblesSent), grouped(c.PebblesHandled), grouped(c.Forwarded), grouped(c.Merged))
	if c.MergedAtHops > 0 {
		text += fmt.Sprintf(" (%s at hops)", grouped(c.MergedAtHops))
	}
	if c.Rescued > 0 {
		text += fmt.Sprintf(", %s rescued from links marked down", grouped(c.Rescued))
	}
	return text
}

func framesText(r apps.Report) string {
	c := r.Counters
	text := fmt.Sprintf("%s sent, %s", grouped(c.FramesSent), bytesText(int64(c.BytesSent)))
	reasons := those([]amount{{c.FlushFull, "full"}, {c.FlushDue, "due"}, {c.FlushExplicit, "flushed"}, {c.FlushIdle, "idle"},
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

// amount is how many of something there are.
type amount struct {
	n    uint64
	what string
}

// those lists the amounts that are not 0.
func those(all []amount) string {
	var some []string
	for _, a := range all {
		if a.n > 0 {
			some = append(some, grouped(a.n)+" "+a.what)
		}
	}
	return strings.Join(some, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// counted is plural for numbers that may be large.
func counted(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped writes a number with a comma between thousands.
func grouped(n uint64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func secondsText(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	}
	return d.String()
}

// bytesText writes a number of bytes in binary units.
func bytesText(n int64) string { return values.BytesText(n) }

// progress is called by an application on rank 0: done of a total of something, such as "edges read", are finished. A
// total of 0 means unknown. It is nil on ranks that don't report.
type progress func(what string, done, total uint64)

// of is progress for an application that counts one thing.
func (p progress) of(what string) func(done, total uint64) {
	if p == nil {
		return nil
	}
	return func(done, total uint64) { p(what, done, total) }
}

// bar draws progress on a terminal, once the run has taken a second. Only rank 0's goroutine draws; clear is called
// after the job.
type bar struct {
	to      io.Writer // nil: no terminal, or --quiet
	app     string
	started time.Time
	what    string    // what is being counted
	total   uint64    // of what
	begun   time.Time // when counting what began
	drawn   *progressbar.ProgressBar
	last    time.Time // of the last drawing
}

const (
	drawAfter = time.Second            // before anything is drawn
	throttle  = 100 * time.Millisecond // between two drawings
	gauge     = 14                     // columns that the percentage and the shortest bar take
)

func newBar(w io.Writer, app string, quiet bool) *bar {
	b := &bar{app: app, started: time.Now()}
	if file, ok := w.(*os.File); ok && !quiet && term.IsTerminal(int(file.Fd())) {
		b.to = w
	}
	return b
}

// progress is the function that the application on rank r calls.
func (b *bar) progress(r *pebble.Rank) progress {
	if b.to == nil || r.ID() != 0 {
		return nil
	}
	return b.draw
}

// draw shows progress. Each phase counts something else and has its own bar. Errors in drawing are ignored.
func (b *bar) draw(what string, done, total uint64) {
	now := time.Now()
	if what != b.what || total != b.total {
		b.clear()
		b.what, b.total, b.begun, b.drawn = what, total, now, nil
	}
	if now.Sub(b.started) < drawAfter || b.drawn != nil && now.Sub(b.last) < throttle {
		return
	}
	b.last = now
	if b.drawn == nil {
		b.drawn = progressbar.NewOptions64(int64(max(1, total)),
			progressbar.OptionSetWriter(b.to), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	}
	text := b.text(done, now.Sub(b.begun).Seconds())
	b.drawn.Describe(text[:min(len(text), max(0, widthOf(b.to)-gauge))])
	if total > 0 {
		_ = b.drawn.Set64(int64(min(done, total)))
	}
}

// widthOf is the width of a terminal.
func widthOf(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// text is printed before the bar. seconds is the time since the phase began.
func (b *bar) text(done uint64, seconds float64) string {
	text := b.app + ": " + b.what
	switch {
	case b.total > 0:
		text = fmt.Sprintf("%s: %s of %s %s", b.app, short(float64(done)), short(float64(b.total)), b.what)
	case done > 0:
		text = fmt.Sprintf("%s: %s %s", b.app, short(float64(done)), b.what)
	}
	if done == 0 || seconds <= 0 {
		return text
	}
	rate := float64(done) / seconds
	text += ", " + short(rate) + "/s"
	if b.total > done {
		text += ", " + timeLeft(float64(b.total-done)/rate) + " left"
	}
	return text
}

// timeLeft is a time in seconds, in days when it is more than two.
func timeLeft(seconds float64) string {
	const day = 24 * 60 * 60
	if seconds > 2*day {
		return short(seconds/day) + " days"
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// short writes a number in four digits at most: 999, 1.235k, 12.35M, 3.2G.
func short(n float64) string {
	unit := 0
	for n >= 999.95 && unit < 6 {
		n /= 1000
		unit++
	}
	return strconv.FormatFloat(n, 'g', 4, 64) + []string{"", "k", "M", "G", "T", "P", "E"}[unit]
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.drawn != nil {
		_ = b.drawn.Clear()
	}
}

// prefixWriter is the standard error of a process. Each line begins with the ranks of the process, except for process 0
// and for a job of one process. Any goroutine may call it; each Write must be whole lines.
type prefixWriter struct {
	to     io.Writer
	mutex  sync.Mutex
	prefix string
}

// setPlace sets the prefix for the ranks of this process.
func (w *prefixWriter) setPlace(p netio.Place) {
	if p.Process == 0 {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.prefix = fmt.Sprintf("[%d-%d] ", p.First, p.Last-1)
	if p.Last-p.First == 1 {
		w.prefix = fmt.Sprintf("[%d] ", p.First)
	}
}

func (w *prefixWriter) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.prefix == "" {
		return w.to.Write(text)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		out.WriteString(w.prefix)
		out.Write(line)
	}
	if _, err := w.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// formatOf is the type of a file, by its name.
func formatOf(file string) string { return strings.TrimPrefix(filepath.Ext(file), ".") }

// create writes a file.
func create(file string, write func(w io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
