package pebble

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/values"
)

// Report is what a part of a program has cost: see [Measure]. Its JSON form is what pebbles tune reads.
type Report struct {
	Ranks     int    `json:"ranks"`
	Procs     int    `json:"procs"`
	Transport string `json:"transport"`
	// of the job's configuration, as the next ones; a target's options may say otherwise
	Topology string `json:"topology"`
	Coalesce int    `json:"coalesce"`
	Cache    int    `json:"cache"`
	// which of topology, coalesce and cache the job's configuration settles for some target
	Settles     []string `json:"settles"`
	Termination string   `json:"termination"` // of the last epoch
	Seconds     float64  `json:"seconds"`     // on the slowest rank
	Counters    Counters `json:"counters"`    // of that time, over all ranks
	// bytes of frames, queues and caches: the most of one rank, since the job began
	MemoryPeak int64  `json:"memory_peak"`
	Tuned      *Tuned `json:"tuned,omitempty"`
	Errors     uint64 `json:"errors"`           // for the program to fill in: what it has found wrong
	Result     any    `json:"result,omitempty"` // for the program to fill in
}

// Measure runs a part of a program between two moments at which all ranks are together, and reports its time and its
// counters, on every rank. Tuned is of rank 0 alone. The part's first epoch is the one that Config.Explain explains
// ([Rank.ExplainNext]); Measure then returns [ErrExplained]. It costs a barrier before the part, and three
// all-reductions behind it. It is a collective, and part may call what the main function may.
func Measure(r *Rank, part func() error) (Report, error) {
	before := r.Counters()
	r.ExplainNext()
	if err := r.Barrier(); err != nil {
		return Report{}, err
	}
	start := r.Now()
	if err := part(); err != nil {
		return Report{}, err
	}
	took, err := AllReduce(r, r.Now()-start, Max[time.Duration])
	if err != nil {
		return Report{}, err
	}
	c := r.Config()
	report := Report{
		Ranks: r.Size(), Procs: r.Place().Processes, Transport: r.Transport(), Topology: c.Topology(r.Size()).Name(),
		Coalesce: c.Coalesce, Cache: c.Cache, Settles: r.settles(), Termination: r.Termination(),
		Seconds: took.Seconds(),
	}
	if report.Counters, err = AllReduce(r, r.Counters().Since(before), Counters.Add); err != nil {
		return report, err
	}
	if t, ok := r.Tuned(); ok {
		report.Tuned = &t
	}
	report.MemoryPeak, err = AllReduce(r, r.Memory().Peak, Max)
	return report, err
}

// settles are the settings that options of some target leave to the job.
func (r *Rank) settles() []string {
	var settled engine.Tunes
	for d := range r.engine.Targets.Descriptions() {
		settled.Topology = settled.Topology || d.Tunes.Topology
		settled.Coalesce = settled.Coalesce || d.Tunes.Coalesce
		settled.Cache = settled.Cache || d.Tunes.Cache
	}
	names := []string{}
	for name, is := range map[string]bool{"topology": settled.Topology, "coalesce": settled.Coalesce,
		"cache": settled.Cache} {
		if is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Print writes a report, one JSON object on a line with -json and some lines of text without. It is for the rank that
// prints, by custom rank 0. A report with Errors is written too, and then an error: the program returns it, so that its
// job fails.
func (o *Options) Print(out io.Writer, report Report) error {
	if err := o.write(out, report); err != nil || report.Errors == 0 {
		return err
	}
	return fmt.Errorf("pebble: the result is wrong: the program's report has %s", plural(int(report.Errors), "error",
		"errors"))
}

func (o *Options) write(out io.Writer, what fmt.Stringer) (err error) {
	if o.JSON() {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		err = e.Encode(what)
	} else {
		_, err = fmt.Fprint(out, what)
	}
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// String says it for people.
func (p Report) String() string {
	var b strings.Builder
	if p.Result != nil {
		fmt.Fprintf(&b, "result    %+v\n", p.Result)
	}
	if p.Errors > 0 {
		fmt.Fprintf(&b, "WRONG     %s\n", plural(int(p.Errors), "error", "errors"))
	}
	fmt.Fprintf(&b, "job       %s in %s, %s transport, %s topology, up to %s a buffer, cache of %d\n", plural(p.Ranks,
		"rank", "ranks"),
		plural(p.Procs, "process", "processes"), p.Transport, p.Topology, plural(p.Coalesce, "pebble",
			"pebbles"), p.Cache)
	if p.Tuned != nil {
		fmt.Fprintf(&b, "tuned     %s\n", p.Tuned.Reason)
	}
	c := p.Counters
	fmt.Fprintf(&b, "time      %.6g s, %s, %d rounds of %s\n", p.Seconds, plural(int(c.Epochs), "epoch", "epochs"),
		c.Rounds, p.Termination)
	fmt.Fprintf(&b, "pebbles   %d sent, %d handled, %d forwarded, %d merged\n", c.PebblesSent, c.PebblesHandled,
		c.Forwarded, c.Merged)
	fmt.Fprintf(&b, "frames    %d sent, %s\n", c.FramesSent, values.BytesText(int64(c.BytesSent)))
	fmt.Fprintf(&b, "memory    %s for pebbles at most on a rank\n", values.BytesText(p.MemoryPeak))
	return b.String()
}
