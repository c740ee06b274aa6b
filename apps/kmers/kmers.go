// Package kmers counts the k-mers of DNA sequences on Active Pebbles for Go: all pieces of k bases, each taken together
// with its reverse complement (canonical k-mers), in FASTA or FASTQ files, which all ranks read, or in reads that are
// made up. Two bits make a base, so a k-mer is a number, and a container.Counter at the rank that owns it counts it. A
// piece with a letter that is no base is left out.
//
// Most k-mers that hold an error of a sequencer are met once, and there may be more of them than of others. With
// Config.Filter they get no count: a first pass over the reads finds by a Bloom filter what is met again, and a second
// one counts that (Melsted and Pritchard, Efficient counting of k-mers in DNA sequences using a bloom filter, 2011).
package kmers

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Config is what a run can be told, as package apps says. The zero value counts the 31-mers of reads of a genome of a
// million bases.
type Config struct {
	// Seed names genome and reads; Progress counts bases that rank 0 has read. Output gets the k-mers that have a count,
	// in the order of their letters.
	apps.Common
	// Input is FASTA or FASTQ, as the name of the first file or else its first byte tells. No files: reads are made up.
	apps.Input

	K        int     // bases of a k-mer, 1 to 32. 0 is KDefault
	Bases    int     // of the genome that is made up. 0 is BasesDefault
	Coverage int     // how often reads cover it. 0 is CoverageDefault
	Errors   float64 // the share of bases that are read wrong
	Filter   int64   // bytes of each rank's filter for k-mers that are met once. 0: all are counted
	SkipTwin bool    // the result is not compared with a serial one
	// Histogram is a file that gets the number of k-mers of each multiplicity, also of those that a filter has left out.
	// Output.Replace replaces it, too.
	Histogram string
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
	twinMost  = 1 << 24 // bases of reads that rank 0 counts serially too
	tallest   = 64      // counts from here on are told together
)

func (c Config) withDefaults() Config {
	c.K, c.Bases, c.Coverage = cmp.Or(c.K, KDefault), cmp.Or(c.Bases, BasesDefault), cmp.Or(c.Coverage, CoverageDefault)
	return c
}

// Check returns an error that says what is wrong with c.
func (c Config) Check(int) error {
	if err := checkFormats(c.Files); err != nil {
		return err
	}
	switch {
	case c.K < 0 || c.K > kMost:
		return fmt.Errorf("kmers: k-mers of %d bases: give 1 to %d, or 0 for %d", c.K, kMost, KDefault)
	case len(c.Files) > 0 && (c.Bases != 0 || c.Coverage != 0 || c.Errors != 0):
		return fmt.Errorf("kmers: bases, coverage and errors are those of reads that are made up, and there are files: " +
			"leave them out")
	case c.Bases < 0 || c.Bases > basesMost || c.Bases > 0 && c.Bases < readBases:
		return fmt.Errorf("kmers: a genome of %d bases: give %d to %d, or 0 for %d", c.Bases, readBases, basesMost,
			BasesDefault)
	case c.Coverage < 0 || c.Coverage > 1000:
		return fmt.Errorf("kmers: a coverage of %d: give 1 to 1000, or 0 for %d", c.Coverage, CoverageDefault)
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

// histogram is where the histogram goes.
func (c Config) histogram() apps.Output {
	return apps.Output{Path: c.Histogram, Replace: c.Output.Replace && c.Histogram != ""}
}

// Result is what a run tells.
type Result struct {
	apps.Report
	Files          int     `json:"files"`
	K              int     `json:"k"`
	Reads          uint64  `json:"reads"`
	Bases          uint64  `json:"bases"`
	Kmers          uint64  `json:"kmers"`
	Distinct       uint64  `json:"distinct"`
	Singletons     uint64  `json:"singletons"` // met once, and counted
	Filtered       uint64  `json:"filtered"`   // met once, and left out of all that follows and of Distinct
	Highest        uint64  `json:"highest"`    // count
	KmersPerSecond float64 `json:"kmers_per_second"`
	// distinct k-mers by their counts, from 1 on; the last are all that are higher
	Histogram []uint64      `json:"histogram"`
	Shape     *apps.Written `json:"histogram_output,omitempty"` // where the whole histogram is
	Twin      bool          `json:"twin"`
}

// Rows is the result for display: labels and values.
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

// Run counts k-mers on a job, as package apps says. What all ranks have met is compared with what the counter has, by
// sums over hashes of k-mers; reads that are made up and have no more than 16 million bases are counted serially, too.
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
	b.counts = container.NewCounter[uint64](r, "k-mers", target.Cache(0)) // equal ones are far apart: none would be merged
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
		Sum:    func() error { return b.sum(&result) },
		Rate:   func() { result.KmersPerSecond = apps.Rate(float64(result.Kmers), result.Seconds) },
		Verify: func() error { return b.verify(&result) },
	})
	if err == nil {
		err = b.write(&result)
	}
	return result, err
}

func (b *bench) open() (err error) {
	isFASTQ, err := b.isFASTQ()
	if err != nil {
		return err
	}
	format := ingest.FASTA()
	if isFASTQ {
		format = ingest.FASTQ()
	}
	b.files, err = ingest.Open(b.rank, b.config.Files, format, b.config.Options()...)
	return err
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	counts *container.Counter[uint64]
	files  *ingest.Source[ingest.Sequence]
	reads  [][]byte // that are made up
	met    met
	once   *once // nil: all are counted
	out    *apps.RowWriter
	shape  *apps.RowWriter // the histogram's
}

// met is what a rank has met.
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
		b.reads = Reads(b.config, b.rank.ID(), b.rank.Size())
	}
	return nil
}

func (b *bench) kernel() error {
	if b.once != nil {
		b.rank.Status("finds k-mers that are met again")
		if err := b.pass("find", b.once.firsts.SendAll); err != nil {
			return err
		}
		if b.files != nil {
			if err := b.open(); err != nil {
				return err
			}
		}
		b.met = met{}
		b.rank.Status("counts them")
		return b.pass("count", b.once.seconds.SendAll)
	}
	b.rank.Status("counts k-mers")
	return b.pass("count", b.counts.AddAll)
}

// pass goes over all reads, and sends their k-mers.
func (b *bench) pass(name string, send func(ks []uint64)) error {
	s := scanner{k: b.config.K, take: func(ks []uint64) {
		send(ks)
		for _, k := range ks {
			b.met.Hashes += apps.Mix(k)
		}
		b.met.Items += uint64(len(ks))
	}}
	return b.rank.Epoch(func() error {
		if b.files == nil {
			for _, read := range b.reads {
				b.count(&s, read)
			}
			s.flush()
			return nil
		}
		for read := range b.files.All() {
			b.count(&s, read.Bases)
		}
		s.flush()
		return b.files.Err()
	}, pebble.Named(name))
}

func (b *bench) count(s *scanner, read []byte) {
	const every = 1 << 20
	before := b.met.Bases
	b.met.Reads++
	b.met.Bases += uint64(len(read))
	s.scan(read)
	b.config.Progress.Passed(b.rank, every, before, b.met.Bases, 0)
}

// sum adds up what is in the counter.
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

// verify compares what was met with what was counted.
func (b *bench) verify(p *Result) error {
	counted := b.met.Counted
	if b.once != nil { // sums over all ranks are right, though what is left out here was met elsewhere
		counted.Items -= b.once.left.Items
		counted.Hashes -= b.once.left.Hashes
	}
	if err := apps.FoundInCounter(&p.Report, b.rank, b.counts, counted, apps.Mix, "k-mers"); err != nil {
		return err
	}
	p.Twin = b.files == nil && !b.config.SkipTwin && p.Bases <= twinMost
	return p.Compare(b.rank, p.Twin, func() (uint64, error) {
		want := Serial(b.config, b.rank.Size())
		return apps.Differ(want.Kmers == p.Kmers, want.Distinct == p.Distinct+p.Filtered,
			want.Singletons == p.Singletons+p.Filtered, want.Highest == max(p.Highest, min(1, p.Filtered))), nil
	})
}

// Serial is the plain twin of Run for reads that are made up for so many ranks: Go's map on one goroutine, and k-mers
// as text.
func Serial(c Config, ranks int) (result Result) {
	c = c.withDefaults()
	counts := map[string]uint64{}
	for rank := range ranks {
		for _, read := range Reads(c, rank, ranks) {
			for i := 0; i+c.K <= len(read); i++ {
				counts[canonicalText(string(read[i:i+c.K]))]++
				result.Kmers++
			}
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
