// Package apps holds the common parts of the applications of Active Pebbles for Go: the phases of a run, the timing of
// a kernel, and the report of a run. Each application is a package below this one, with its own serial twin and
// verifier, and a command of cmd/internal/command.
//
// The function that runs an application on a job, in most of them Run, is called by every rank, once, between epochs,
// with the same configuration except for [Progress]. The result is complete on every rank. Its Errors counts the
// mistakes that the verifier finds; an error means that the job failed, or cannot work. The zero value of a
// configuration, in most of them Config, is a run with all defaults. Its Check returns an error if the configuration is
// wrong for a job of the given number of ranks. A Seed determines the data. Serial computes the same without a job, for
// a configuration that passes Check.
package apps

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/pebble"
)

// Report is the report of a run of any application, on rank 0. Its JSON form is one object. An application embeds it
// and adds its own fields.
type Report struct {
	App         string  `json:"app"`
	Ranks       int     `json:"ranks"`
	Procs       int     `json:"procs"`
	Transport   string  `json:"transport"`
	Topology    string  `json:"topology"`
	Termination string  `json:"termination"`
	Coalesce    int     `json:"coalesce"` // maximum number of pebbles in a buffer
	Credits     int     `json:"credits"`  // maximum frames in flight to each neighbour; 0 if each target chose
	Cache       int     `json:"cache"`    // entries of the reduction cache, 0 for none
	Seed        uint64  `json:"seed"`
	Seconds     float64 `json:"seconds"`        // the timed kernel alone, on the slowest rank
	SetUp       float64 `json:"set_up_seconds"` // making or loading the data
	Verify      float64 `json:"verify_seconds"` // checking the result
	Errors      uint64  `json:"errors"`         // mistakes that the verifier found; 0 is success

	Wrong []string `json:"wrong,omitempty"` // the mistakes as text, one for each kind

	// Skipped counts records of files that a lenient run could not read; FirstSkipped names the first one.
	Skipped      int64  `json:"skipped_records,omitempty"`
	FirstSkipped string `json:"first_skipped,omitempty"`

	Counters pebble.Counters `json:"counters"` // of the timed kernel, over all ranks
	Memory   Memory          `json:"memory"`

	// Connections is the maximum over all processes of connections to others, of both kinds, at the end of the run.
	Connections int `json:"connections,omitempty"`

	Tuned *pebble.Tuned `json:"tuned,omitempty"` // changes of settings by the job; nil without tuning

	Output   *Written          `json:"output,omitempty"`   // destination of the result's rows
	TopRows  []json.RawMessage `json:"top_rows,omitempty"` // rows of the highest values: see Output.Top
	topTexts []string          // the same for display
}

// Memory is the memory report of a run, in bytes.
type Memory struct {
	BuffersPeak  int64 `json:"buffers_peak"`  // peak of one rank's frames, queues and caches
	ResidentPeak int64 `json:"resident_peak"` // peak resident memory of one process
	// largest number that held pebbles on one rank at one time, up to the end of the kernel
	Buffers int `json:"buffers"`
}

// NewReport returns a report with the fields that are known before a run.
func NewReport(r *pebble.Rank, app string, seed uint64) Report {
	c := r.Config()
	return Report{
		App: app, Ranks: r.Size(), Procs: r.Place().Processes,
		Transport: r.Transport(), Topology: c.Topology(r.Size()).Name(),
		Coalesce: c.Coalesce, Credits: c.Credits, Cache: c.Cache, Seed: seed,
	}
}

// Common returns the report itself, which results of applications embed.
func (p Report) Common() Report { return p }

// Timed runs one phase on all ranks together, and returns the seconds that the slowest rank took. All ranks call it.
func Timed(r *pebble.Rank, phase func() error) (seconds float64, err error) {
	if err := r.Barrier(); err != nil {
		return 0, err
	}
	start := r.Now()
	if err := phase(); err != nil {
		return 0, err
	}
	took, err := pebble.AllReduce(r, r.Now()-start, pebble.Max)
	return took.Seconds(), err
}

// Kernel runs and measures the timed phase by pebble.Measure. All ranks call it.
func (p *Report) Kernel(r *pebble.Rank, phase func() error) error {
	measured, err := pebble.Measure(r, phase)
	if err != nil {
		return err
	}
	p.Seconds, p.Termination, p.Counters = measured.Seconds, measured.Termination, measured.Counters
	p.Memory.Buffers, err = pebble.AllReduce(r, r.Memory().Buffers, pebble.Max)
	return err
}

// Found adds a verifier's mistakes to the errors. count is this rank's number of them, and what is their description,
// such as "words of the table are wrong". All ranks call it.
func (p *Report) Found(r *pebble.Rank, count uint64, what string) error {
	total, err := Sum(r, count)
	if total > 0 {
		p.note([]fault{{total, fmt.Sprintf("%d %s", total, what)}})
	}
	return err
}

// FoundOnce is Found for a count that is equal on all ranks, such as one of the result. All ranks call it.
func (p *Report) FoundOnce(r *pebble.Rank, count uint64, what string) error {
	if r.ID() > 0 {
		count = 0
	}
	return p.Found(r, count, what)
}

// Compare adds the differences from the serial twin to the errors. Rank 0 runs twin if wanted is set; twin returns the
// number of results that differ. All ranks call it.
func (p *Report) Compare(r *pebble.Rank, wanted bool, twin func() (differ uint64, err error)) (err error) {
	wrong := uint64(0)
	if wanted && r.ID() == 0 {
		if wrong, err = twin(); err != nil {
			return err
		}
	}
	return p.Found(r, wrong, "results went wrong: they are not those of the serial twin")
}

// Differ returns the number of false arguments.
func Differ(same ...bool) (n uint64) {
	for _, is := range same {
		if !is {
			n++
		}
	}
	return n
}

// TwinRow returns a row for display: whether a serial twin was run, and agreed.
func (p Report) TwinRow(was bool) [2]string {
	switch {
	case !was:
		return [2]string{"serial twin", "not run"}
	case p.Errors > 0:
		return [2]string{"serial twin", "compared with"}
	}
	return [2]string{"serial twin", "the same"}
}

// Prove adds the mistakes in a tally of a phase other than the kernel to the errors. Its pebbles must not be merged.
// All ranks call it.
func (p *Report) Prove(r *pebble.Rank, t Tally, phase string) error {
	total, err := pebble.AllReduce(r, t, Tally.Add)
	if err != nil {
		return err
	}
	faults := total.faults(0)
	for i := range faults {
		faults[i].text = phase + ": " + faults[i].text
	}
	p.note(faults)
	return nil
}

func (p *Report) note(faults []fault) {
	for _, f := range faults {
		p.Errors += f.count
		p.Wrong = append(p.Wrong, f.text)
	}
}

// Finish sums the report over all ranks. It compares t, this rank's tally of the kernel, with the counts of the other
// ranks and the runtime. The same mistake may appear both there and in the result, so the larger of the two numbers of
// errors counts. All ranks call it last.
func (p *Report) Finish(r *pebble.Rank, t Tally) error {
	total, err := pebble.AllReduce(r, t, Tally.Add)
	if err != nil {
		return err
	}
	found := p.Errors
	p.Errors = 0
	p.note(append(total.faults(p.Counters.Merged), total.miscounts(p.Counters)...))
	p.Errors = max(p.Errors, found)
	if t, ok := r.Tuned(); ok {
		p.Tuned = &t
	}
	own := cost{Memory{r.Memory().Peak, cpu.ResidentPeak(), p.Memory.Buffers}, r.Connections()}
	most, err := pebble.AllReduce(r, own, cost.most)
	p.Memory, p.Connections = most.memory, most.connections
	return err
}

// cost is the memory and the connections of a run on one rank and its process.
type cost struct {
	memory      Memory
	connections int
}

// most returns the larger cost of each kind.
func (a cost) most(b cost) cost {
	x, y := a.memory, b.memory
	return cost{
		Memory{max(x.BuffersPeak, y.BuffersPeak), max(x.ResidentPeak, y.ResidentPeak), max(x.Buffers, y.Buffers)},
		max(a.connections, b.connections),
	}
}

// FinishCounted is Finish for a kernel whose pebbles only the runtime has counted, such as those of tasks and
// delegates. All ranks call it last.
func (p *Report) FinishCounted(r *pebble.Rank) error {
	var t Tally
	if r.ID() == 0 {
		t.Sent, t.Handled = p.Counters.PebblesSent, p.Counters.PebblesHandled // of all ranks
	}
	return p.Finish(r, t)
}

// SumEach sums numbers over all ranks, place by place. All ranks call it, with the same length.
func SumEach(r *pebble.Rank, own []uint64) ([]uint64, error) {
	return pebble.AllReduce(r, own, plus, pebble.Codec[[]uint64](numbers{}))
}

func plus(a, b []uint64) []uint64 {
	sum := make([]uint64, len(a))
	for i := range sum {
		sum[i] = a[i] + b[i]
	}
	return sum
}

// numbers is the codec of slices of numbers.
type numbers struct{}

// Append implements pebble.Codec.
func (numbers) Append(to []byte, v []uint64) ([]byte, error) {
	for _, n := range v {
		to = binary.LittleEndian.AppendUint64(to, n)
	}
	return to, nil
}

// Decode implements pebble.Codec.
func (numbers) Decode(from []byte) ([]uint64, error) {
	if len(from)%8 != 0 {
		return nil, errors.New("damaged numbers")
	}
	v := make([]uint64, len(from)/8)
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(from[8*i:])
	}
	return v, nil
}

// Sum sums a number over all ranks.
func Sum(r *pebble.Rank, n uint64) (uint64, error) {
	return pebble.AllReduce(r, n, pebble.Sum)
}

// MustFit returns an error if this process lacks the memory for its ranks' data, before the system kills the process
// instead. what names the data, and advice is the remedy. All ranks call it, before any of them allocates.
func MustFit(r *pebble.Rank, what string, bytesPerRank uint64, advice string) error {
	p := r.Place()
	need, have := bytesPerRank*uint64(p.Last-p.First), uint64(cpu.MemoryAvailable())
	if need > have {
		return fmt.Errorf("%s of process %d need %d MiB, %d MiB are free: %s", what, p.Process, need>>20, have>>20, advice)
	}
	return r.Barrier()
}

// Names lists the values of a string type for an error message.
func Names[W ~string](words []W) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return strings.Join(all, ", ")
}
