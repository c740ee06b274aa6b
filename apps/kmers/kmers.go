// Package kmers counts the k-mers of DNA sequences on Active Pebbles for Go: all pieces of k bases, each combined with
// its reverse complement (canonical k-mers). The sequences are FASTA or FASTQ files, which all ranks read, or generated
// reads. A base takes two bits, so a k-mer is a number. A container.Counter counts it at the rank that owns it. A piece
// with a letter that is not a base is omitted.
//
// Most k-mers with an error of a sequencer occur once, and they may outnumber the others. With Config.Filter they get
// no count: a first pass over the reads finds repeated k-mers by a Bloom filter, and a second one counts them (Melsted
// and Pritchard, Efficient counting of k-mers in DNA sequences using a bloom filter, 2011).
package kmers

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Config configures Run, as package apps says. The zero value counts the 31-mers of reads of a genome of a million
// bases.
type Config struct {
	// Seed determines genome and reads. Progress counts the bases that rank 0 has read. Output gets the k-mers that
	// have a count, in the order of their letters.
	apps.Common
	// Input is FASTA or FASTQ, by the name of the first file or else its first byte. Without files, reads are
	// generated.
	apps.Input

	K        int     // bases of a k-mer, 1 to 32. 0 is KDefault
	Bases    int     // of the generated genome. 0 is BasesDefault
	Coverage int     // number of times that reads cover it. 0 is CoverageDefault
	Errors   float64 // fraction of bases that are read wrong
	Filter   int64   // bytes of each rank's filter for k-mers that occur once. 0: count all
	SkipTwin bool    // do not compare the result with a serial one
	// Histogram is a file that gets the number of k-mers of each multiplicity, including those that a filter has
	// omitted. Output.Replace replaces it, too.
	Histogram string

	batch uint64 // bases that a rank reads between two checkpoints; 0 is batchBases
}

// The defaults.
const (
	KDefault        = 31
	BasesDefault    = 1_000_000
	CoverageDefault = 20
)

const (
	kMost     = 32
	basesMost = 1 << 40
	readBases = 100
	twinMost  = 1 << 24 // maximum number of bases that rank 0 also counts serially
	tallest   = 64      // the histogram combines counts from here on

	batchBases = 1 << 24 // about one second's work
)

func (c Config) withDefaults() Config {
	c.K, c.Bases, c.Coverage = cmp.Or(c.K, KDefault), cmp.Or(c.Bases, BasesDefault), cmp.Or(c.Coverage, CoverageDefault)
	c.batch = cmp.Or(c.batch, batchBases)
	return c
}

// Check returns an error if c is invalid.
func (c Config) Check(int) error {
	if err := checkFormats(c.Files); err != nil {
		return err
	}
	switch {
	case c.K < 0 || c.K > kMost:
		return fmt.Errorf("kmers: k-mers of %d bases: give 1 to %d", c.K, kMost)
	case len(c.Files) > 0 && (c.Bases != 0 || c.Coverage != 0 || c.Errors != 0):
		return fmt.Errorf("kmers: bases, coverage and errors describe generated reads, but files are given: leave " +
			"them out")
	case c.Bases < 0 || c.Bases > basesMost || c.Bases > 0 && c.Bases < readBases:
		return fmt.Errorf("kmers: a genome of %d bases: give %d to %d", c.Bases, readBases, basesMost)
	case c.Coverage < 0 || c.Coverage > 1000:
		return fmt.Errorf("kmers: a coverage of %d: give 1 to 1000", c.Coverage)
	case c.Filter != 0 && c.Filter < blockBytes:
		return fmt.Errorf("kmers: a filter of %d bytes: give %d or more, or 0 for none", c.Filter, blockBytes)
	case !(c.Errors >= 0 && c.Errors <= 1):
		return fmt.Errorf("kmers: %v of all bases wrong: give a number from 0 to 1", c.Errors)
	case c.Histogram != "":
		if c.Output.Path == c.Histogram {
			return fmt.Errorf("kmers: %s is to have k-mers and their histogram: name two files", c.Histogram)
		}
		if err := c.histogram().Check(); err != nil {
			return err
		}
		return apps.Output{Path: c.Output.Path, Top: c.Output.Top}.Check()
	}
	return c.Output.Check()
}

// histogram returns the output of the histogram.
func (c Config) histogram() apps.Output {
	return apps.Output{Path: c.Histogram, Replace: c.Output.Replace && c.Histogram != ""}
}

// Result is the report of Run.
type Result struct {
	apps.Report
	Files          int     `json:"files"`
	K              int     `json:"k"`
	Reads          uint64  `json:"reads"`
	Bases          uint64  `json:"bases"`
	Kmers          uint64  `json:"kmers"`
	Distinct       uint64  `json:"distinct"`
	Singletons     uint64  `json:"singletons"` // counted k-mers that occur once
	Filtered       uint64  `json:"filtered"`   // omitted k-mers that occur once; Distinct excludes them
	Highest        uint64  `json:"highest"`    // highest count
	KmersPerSecond float64 `json:"kmers_per_second"`
	// number of distinct k-mers by count, from 1; the last entry is that of all higher counts
	Histogram []uint64      `json:"histogram"`
	Shape     *apps.Written `json:"histogram_output,omitempty"` // output of the whole histogram
	Twin      bool          `json:"twin"`
}

// Rows returns the labels and values of a summary for display.
func (p Result) Rows() [][2]string {
	peak := 0
	for i := 2; i < len(p.Histogram)-1; i++ {
		if peak == 0 || p.Histogram[i] > p.Histogram[peak] {
			peak = i
		}
	}
	rows := [][2]string{
		{"k-mers", fmt.Sprintf("%d of %d bases, %d of them distinct, %d met once", p.Kmers, p.K, p.Distinct, p.Singletons)},
		{"reads", fmt.Sprintf("%d with %d bases", p.Reads, p.Bases)},
		{"k-mers a second", fmt.Sprintf("%.3g million", p.KmersPerSecond/1e6)},
		{"counts", fmt.Sprintf("most often %d, from 3 on; %d at most", peak+1, p.Highest)},
	}
	if p.Filtered > 0 {
		rows = append(rows, [2]string{"left out", fmt.Sprintf("%d more, which were met once", p.Filtered)})
	}
	if p.Shape != nil {
		rows = append(rows, [2]string{"histogram", fmt.Sprintf("%s: %d rows", p.Shape.Path, p.Shape.Rows)})
	}
	return append(rows, p.TwinRow(p.Twin))
}

// Run counts k-mers on a job, as package apps says. It compares the k-mers of all ranks with the contents of the
// counter, by sums over hashes. Generated reads with at most 16 million bases are also counted serially.
func Run(r *pebble.Rank, c Config) (result Result, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	b := &bench{rank: r, config: c.withDefaults()}
	result = Result{Report: apps.NewReport(r, "kmers", c.Seed), K: b.config.K}
	if err := b.create(); err != nil {
		return result, err
	}
	defer b.abort()
	b.counts = container.NewCounter[uint64](r, "k-mers", target.Cache(0)) // equal ones are far apart: none would merge
	if c.Filter > 0 {
		if err := b.filterOnce(); err != nil {
			return result, err
		}
	}
	if len(c.Files) > 0 {
		if err := b.open(); err != nil {
			return result, err
		}
		result.Files = len(b.files.Files())
	}
	err = result.RunPhases(r, apps.Phases{
		Load:   b.load,
		Kernel: b.kernel,
		Steps:  &b.steps,
		Sum:    func() error { return b.sum(&result) },
		Rate:   func() { result.KmersPerSecond = apps.Rate(float64(result.Kmers), result.Seconds) },
		Verify: func() error { return b.verify(&result) },
	})
	if err == nil {
		err = b.write(&result)
	}
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	counts *container.Counter[uint64]
	files  *ingest.Source[read]
	made   [][]byte // generated reads
	first  int      // number of the first of them
	steps  apps.Steps
	met    met
	done   []span // spans of reads that this rank has counted
	own    int    // index of the first span of this run
	past   []span // spans of reads that all ranks have counted in earlier runs, in order
	once   *once  // nil: count all k-mers
	out    *apps.RowWriter
	shape  *apps.RowWriter // writes the histogram
}

// met is a rank's totals.
type met struct {
	Reads, Bases uint64
	apps.Counted // k-mers
}

func (m met) add(o met) met {
	return met{m.Reads + o.Reads, m.Bases + o.Bases, m.Plus(o.Counted)}
}

func (b *bench) load() error {
	if b.files == nil {
		b.rank.Status("makes up reads")
		b.made, b.first = Reads(b.config, b.rank.ID(), b.rank.Size())
	}
	return b.restore()
}

// kernel counts k-mers, one batch of reads at a time. With a filter, the first step finds repeated k-mers.
func (b *bench) kernel() error {
	next, stop := iter.Pull(b.left())
	defer stop()
	return b.steps.Run(func(n int) (more bool, err error) {
		if n == 0 && b.once != nil {
			return true, b.find()
		}
		return b.count(next)
	})
}

// find is the first pass over all reads, for runs with a filter.
func (b *bench) find() error {
	b.rank.Status("finds k-mers that are met again")
	s, bases := scanner{k: b.config.K, take: b.once.firsts.SendAll}, uint64(0)
	return b.rank.Epoch(func() error {
		for r := range b.reads() {
			s.scan(r.bases)
			bases += uint64(len(r.bases))
			b.progress(bases-uint64(len(r.bases)), bases)
		}
		s.flush()
		return b.failed()
	}, pebble.Named("find"))
}

// count counts the k-mers of a batch of reads, and reports whether a rank has more reads.
func (b *bench) count(next func() (read, bool)) (more bool, err error) {
	b.rank.Status("counts k-mers")
	send := b.counts.AddAll
	if b.once != nil {
		send = b.once.seconds.SendAll
	}
	s := scanner{k: b.config.K, take: func(ks []uint64) {
		send(ks)
		for _, k := range ks {
			b.met.Hashes += apps.Mix(k)
		}
		b.met.Items += uint64(len(ks))
	}}
	ended := uint64(1)
	err = b.rank.Epoch(func() error {
		for most := b.most(); b.met.Bases < most; {
			r, some := next()
			if !some {
				s.flush()
				return b.failed()
			}
			b.take(&s, r)
		}
		ended = 0
		s.flush()
		return nil
	}, pebble.Named("count"))
	if err != nil || !apps.Saves(b.rank) {
		return false, err
	}
	all, err := pebble.AllReduce(b.rank, ended, pebble.Min)
	return all == 0, err
}

// take counts the k-mers of a read.
func (b *bench) take(s *scanner, r read) {
	before := b.met.Bases
	b.met.Reads++
	b.met.Bases += uint64(len(r.bases))
	s.scan(r.bases)
	b.note(r.place)
	b.progress(before, b.met.Bases)
}

func (b *bench) progress(before, bases uint64) {
	b.config.Progress.Passed(b.rank, 1<<20, before, bases, 0)
}

// sum sums the contents of the counter.
func (b *bench) sum(p *Result) error {
	total, err := pebble.AllReduce(b.rank, b.met, met.add)
	if err != nil {
		return err
	}
	if b.files != nil {
		report, err := b.files.Report()
		if err != nil {
			return err
		}
		p.Read(report)
	}
	p.Reads, p.Bases, p.Kmers = total.Reads, total.Bases, total.Items
	histogram, highest := make([]uint64, tallest), uint64(0)
	for _, n := range b.counts.LocalAll() {
		histogram[max(1, min(n, tallest))-1]++
		highest = max(highest, n)
	}
	if p.Histogram, err = apps.SumEach(b.rank, histogram); err != nil {
		return err
	}
	for _, n := range p.Histogram {
		p.Distinct += n
	}
	p.Singletons = p.Histogram[0]
	if p.Highest, err = pebble.AllReduce(b.rank, highest, pebble.Max); err != nil || b.once == nil {
		return err
	}
	p.Filtered, err = apps.Sum(b.rank, b.once.left.Items)
	return err
}

// verify compares the k-mers of the reads with those in the counter.
func (b *bench) verify(p *Result) error {
	counted := b.met.Counted
	if b.once != nil { // the sums over all ranks are right, even if another rank met the k-mers omitted here
		counted.Items -= b.once.left.Items
		counted.Hashes -= b.once.left.Hashes
	}
	if err := apps.FoundInCounter(&p.Report, b.rank, b.counts, counted, apps.Mix, "k-mers"); err != nil {
		return err
	}
	p.Twin = b.files == nil && !b.config.SkipTwin && p.Bases <= twinMost
	return p.Compare(b.rank, p.Twin, func() (uint64, error) {
		want := Serial(b.config)
		return apps.Differ(want.Kmers == p.Kmers, want.Distinct == p.Distinct+p.Filtered,
			want.Singletons == p.Singletons+p.Filtered, want.Highest == max(p.Highest, min(1, p.Filtered))), nil
	})
}

// Serial is the plain twin of Run for generated reads: a Go map on one goroutine, and k-mers as text.
func Serial(c Config) (result Result) {
	c = c.withDefaults()
	counts := map[string]uint64{}
	reads, _ := Reads(c, 0, 1)
	for _, read := range reads {
		for i := 0; i+c.K <= len(read); i++ {
			counts[canonicalText(string(read[i:i+c.K]))]++
			result.Kmers++
		}
	}
	for _, n := range counts {
		result.Distinct++
		result.Highest = max(result.Highest, n)
		if n == 1 {
			result.Singletons++
		}
	}
	return result
}
