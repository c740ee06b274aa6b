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

// Report is the cost of a part of a program: see [Measure]. "pebbles tune" reads its JSON form.
type Report struct {
	Ranks     int    `json:"ranks"`
	Procs     int    `json:"procs"`
	Transport string `json:"transport"`
	// Topology, Coalesce and Cache are those of the job's configuration; the options of a target may differ.
	Topology string `json:"topology"`
	Coalesce int    `json:"coalesce"`
	Cache    int    `json:"cache"`
	// Settles names the settings among topology, coalesce and cache that the job chooses for some target.
	Settles     []string `json:"settles"`
	Termination string   `json:"termination"` // of the last epoch
	Seconds     float64  `json:"seconds"`     // on the slowest rank
	Counters    Counters `json:"counters"`    // over that time and all ranks
	// MemoryPeak is the maximum of frames, queues and caches of one rank since the job began, in bytes.
	MemoryPeak int64  `json:"memory_peak"`
	Tuned      *Tuned `json:"tuned,omitempty"`
	Errors     uint64 `json:"errors"`           // wrong results, counted by the program
	Result     any    `json:"result,omitempty"` // set by the program
}

// Measure runs a part of a program between two moments at which all ranks are together, and reports its time and
// counters on every rank. Tuned is set on rank 0 only. Config.Explain explains the first epoch of the part
// ([Rank.ExplainNext]); Measure then returns [ErrExplained]. It costs a barrier before the part, and three
// all-reductions after it. It is a collective, and part may call all that the main function may.
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

// settles returns the settings that the options of some target leave to the job.
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

// Print writes a report: one JSON object on a line with -json, else some lines of text. The rank that prints calls it,
// usually rank 0. If the report has Errors, Print writes it and returns an error, which the program returns so that its
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

// String returns the report as text.
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
