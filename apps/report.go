// Package apps holds what the applications of Active Pebbles for Go have in common: the phases of a run, how a kernel
// is timed and what a run reports. Each application is a package below this one, with a serial twin and a verifier of
// its own, and a command of cmd/internal/command.
//
// The function of an application that runs it on a job, Run in most, is called by every rank, once, between epochs,
// with the same configuration but for [Progress]. The result is complete on every rank. What a verifier finds wrong is
// counted in its Errors; an error means that the job failed, or can't work. The zero value of a configuration, Config
// in most, is a run with all defaults; its Check returns an error that says what is wrong with it for a job of so many
// ranks. Where it has a Seed, that names the data. Serial is the same without a job, for a configuration that passes
// Check.
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

// Report is what every application reports of a run, on rank 0. Its JSON form is one object; an application embeds it
// and adds fields of its own.
type Report struct {
	App         string  `json:"app"`
	Ranks       int     `json:"ranks"`
	Procs       int     `json:"procs"`
	Transport   string  `json:"transport"`
	Topology    string  `json:"topology"`
	Termination string  `json:"termination"`
	Coalesce    int     `json:"coalesce"` // pebbles a buffer at the most
	Credits     int     `json:"credits"`  // frames in flight to each neighbour at most; 0 when each target chose
	Cache       int     `json:"cache"`    // entries of the reduction cache, 0 for none
	Seed        uint64  `json:"seed"`
	Seconds     float64 `json:"seconds"`        // the timed kernel alone, on the slowest rank
	SetUp       float64 `json:"set_up_seconds"` // making or loading the data
	Verify      float64 `json:"verify_seconds"` // checking the result
	Errors      uint64  `json:"errors"`         // what the verifier found wrong; 0 is success

	Wrong []string `json:"wrong,omitempty"` // the same as text, one for each kind of error

	// Skipped counts records of files that a lenient run could not read; FirstSkipped names the first.
	Skipped      int64  `json:"skipped_records,omitempty"`
	FirstSkipped string `json:"first_skipped,omitempty"`

	Counters pebble.Counters `json:"counters"` // of the timed kernel, over all ranks
	Memory   Memory          `json:"memory"`

	// Connections is the most that one process had with others, of both kinds, at the end of the run.
	Connections int `json:"connections,omitempty"`

	Tuned *pebble.Tuned `json:"tuned,omitempty"` // what the job has changed of itself; nil when it was not to

	Output   *Written          `json:"output,omitempty"`   // where the rows of the result are
	TopRows  []json.RawMessage `json:"top_rows,omitempty"` // those of the highest values, as Output.Top asks
	topTexts []string          // the same for display
}

// Memory is the memory report of a run, in bytes.
type Memory struct {
	BuffersPeak  int64 `json:"buffers_peak"`  // the most that one rank's frames, queues and caches took
	ResidentPeak int64 `json:"resident_peak"` // the most that one process had resident
	// the most that held pebbles on one rank at one time, until the kernel had ended
	Buffers int `json:"buffers"`
}

// NewReport fills in what is known before a run.
func NewReport(r *pebble.Rank, app string, seed uint64) Report {
	c := r.Config()
	return Report{
		App: app, Ranks: r.Size(), Procs: r.Place().Processes,
		Transport: r.Transport(), Topology: c.Topology(r.Size()).Name(),
		Coalesce: c.Coalesce, Credits: c.Credits, Cache: c.Cache, Seed: seed,
	}
}

// Common is the report itself, for who has an application's result, which embeds it.
func (p Report) Common() Report { return p }

// Timed runs one phase on all ranks together and returns how long it took on the slowest. All ranks call it.
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

// Kernel measures the phase that the report is about, by pebble.Measure. All ranks call it.
func (p *Report) Kernel(r *pebble.Rank, phase func() error) error {
	measured, err := pebble.Measure(r, phase)
	if err != nil {
		return err
	}
	p.Seconds, p.Termination, p.Counters = measured.Seconds, measured.Termination, measured.Counters
	p.Memory.Buffers, err = pebble.AllReduce(r, r.Memory().Buffers, pebble.Max)
	return err
}

// Found adds to the errors what a verifier has found: count is this rank's, and what says of what, such as "words of
// the table are wrong". All ranks call it.
func (p *Report) Found(r *pebble.Rank, count uint64, what string) error {
	total, err := Sum(r, count)
	if total > 0 {
		p.note([]fault{{total, fmt.Sprintf("%d %s", total, what)}})
	}
	return err
}

// FoundOnce is Found for a count that all ranks have alike, such as one of the result. All ranks call it.
func (p *Report) FoundOnce(r *pebble.Rank, count uint64, what string) error {
	if r.ID() > 0 {
		count = 0
	}
	return p.Found(r, count, what)
}

// Compare adds to the errors what differs from the serial twin, which rank 0 runs, unless it is to be left out: twin
// returns how many results. All ranks call it.
func (p *Report) Compare(r *pebble.Rank, wanted bool, twin func() (differ uint64, err error)) (err error) {
	wrong := uint64(0)
	if wanted && r.ID() == 0 {
		if wrong, err = twin(); err != nil {
			return err
		}
	}
	return p.Found(r, wrong, "results went wrong: they are not those of the serial twin")
}

// Differ counts the results that are not the same.
func Differ(same ...bool) (n uint64) {
	for _, is := range same {
		if !is {
			n++
		}
	}
	return n
}

// TwinRow says for display whether a serial twin was run, and agreed.
func (p Report) TwinRow(was bool) [2]string {
	switch {
	case !was:
		return [2]string{"serial twin", "not run"}
	case p.Errors > 0:
		return [2]string{"serial twin", "compared with"}
	}
	return [2]string{"serial twin", "the same"}
}

// Prove adds to the errors what is wrong with a tally of another phase than the kernel, whose pebbles can't be merged.
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

// Finish sums up over all ranks. It compares t, the kernel's tally of this rank, with what the other ranks and the
// runtime have counted. What is wrong with it may be the same that was found in the result: of the two numbers of
// errors the larger counts. All ranks call it, last.
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

// cost is what a run has taken on one rank and its process.
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

// FinishCounted is Finish for a kernel whose pebbles the runtime alone has counted, such as those of tasks and
// delegates. All ranks call it, last.
func (p *Report) FinishCounted(r *pebble.Rank) error {
	var t Tally
	if r.ID() == 0 {
		t.Sent, t.Handled = p.Counters.PebblesSent, p.Counters.PebblesHandled // of all ranks
	}
	return p.Finish(r, t)
}

// SumEach adds numbers up over all ranks, each with those at its place. All ranks call it, with equally many.
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

// numbers carries numbers.
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

// Sum adds a number up over all ranks.
func Sum(r *pebble.Rank, n uint64) (uint64, error) {
	return pebble.AllReduce(r, n, pebble.Sum)
}

// MustFit refuses data of so many bytes a rank that this process has no memory for, before the system ends the process
// instead. what names the data, and advice says what to ask for less of. All ranks call it, before any of them
// allocates.
func MustFit(r *pebble.Rank, what string, bytesPerRank uint64, advice string) error {
	p := r.Place()
	need, have := bytesPerRank*uint64(p.Last-p.First), uint64(cpu.MemoryAvailable())
	if need > have {
		return fmt.Errorf("%s of process %d need %d MiB, %d MiB are free: %s", what, p.Process, need>>20, have>>20, advice)
	}
	return r.Barrier()
}

// Names lists the values of a type of words, for an error that says which there are.
func Names[W ~string](words []W) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return strings.Join(all, ", ")
}
