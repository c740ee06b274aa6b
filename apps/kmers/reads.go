package kmers

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// read is a sequence of bases, which are valid until the next read.
type read struct {
	place
	bases []byte
}

// place is the beginning of a read in a file, or its number among generated ones. It does not depend on the number of
// ranks.
type place struct {
	file string
	at   int64
}

// open opens the files. For checkpoints it also reads positions.
func (b *bench) open() (err error) {
	isFASTQ, err := b.isFASTQ()
	if err != nil {
		return err
	}
	of := ingest.FASTA()
	if isFASTQ {
		of = ingest.FASTQ()
	}
	format := ingest.Convert(of, func(_ ingest.Place, s ingest.Sequence) (read, error) {
		return read{bases: s.Bases}, nil
	})
	if apps.Saves(b.rank) {
		format = ingest.Convert(ingest.Positions(of),
			func(_ ingest.Place, s ingest.Positioned[ingest.Sequence]) (read, error) {
				return read{place{s.File, s.Offset}, s.Record.Bases}, nil
			})
	}
	b.files, err = ingest.Open(b.rank, b.config.Files, format, b.config.Options()...)
	return err
}

// reads returns the reads of this rank.
func (b *bench) reads() iter.Seq[read] {
	if b.files != nil {
		return b.files.All()
	}
	return func(yield func(read) bool) {
		for i, bases := range b.made {
			if !yield(read{place{at: int64(b.first + i)}, bases}) {
				return
			}
		}
	}
}

// failed returns the error that ended reads.
func (b *bench) failed() error {
	if b.files == nil {
		return nil
	}
	return b.files.Err()
}

// left returns the reads that earlier runs have not counted.
func (b *bench) left() iter.Seq[read] {
	if len(b.past) == 0 {
		return b.reads()
	}
	return func(yield func(read) bool) {
		for r := range b.reads() {
			if !b.isPast(r.place) && !yield(r) {
				return
			}
		}
	}
}

// most returns the number of bases at which this rank ends a batch.
func (b *bench) most() uint64 {
	if !apps.Saves(b.rank) {
		return math.MaxUint64
	}
	return b.met.Bases + b.config.batch
}

// span is consecutive reads of a file: those from From to To, inclusive.
type span struct {
	File     string
	From, To int64
}

// note records that a read is counted. It must be this rank's next read, apart from those that earlier runs have
// counted.
func (b *bench) note(at place) {
	last := len(b.done) - 1
	if last < b.own || b.done[last].File != at.file {
		b.done = append(b.done, span{File: at.file, From: at.at})
		last++
	}
	b.done[last].To = at.at
}

// isPast reports whether an earlier run has counted a read.
func (b *bench) isPast(at place) bool {
	i, found := slices.BinarySearchFunc(b.past, at, func(s span, at place) int {
		return cmp.Or(cmp.Compare(s.File, at.file), cmp.Compare(s.From, at.at))
	})
	return found || i > 0 && b.past[i-1].File == at.file && at.at <= b.past[i-1].To
}

// restore continues from the newest checkpoint, if one exists.
func (b *bench) restore() error {
	c := b.config
	input, err := apps.Inputs(b.rank, c.Files)
	if err != nil {
		return err
	}
	parts := []checkpoint.Part{
		input, checkpoint.Argument("k", c.K), checkpoint.Argument("files", c.Files), checkpoint.Argument("bases", c.Bases),
		checkpoint.Argument("coverage", c.Coverage), checkpoint.Argument("errors", c.Errors),
		checkpoint.Argument("lenient", c.Lenient), checkpoint.Argument("filtered", b.once != nil),
		checkpoint.Records("counts", b.counts), checkpoint.PerRank("met", &b.met, met.add),
		checkpoint.PerRank("done", &b.done, func(a, b []span) []span { return append(a, b...) }),
	}
	if b.once != nil {
		parts = append(parts, checkpoint.PerRank("left out", &b.once.left, apps.Counted.Plus))
	}
	restored, err := b.steps.Restore(b.rank, "kmers", c.Seed, parts...)
	if err != nil || !restored {
		return err
	}
	b.own = len(b.done)
	all, err := pebble.AllGatherSlice(b.rank, b.done, pebble.Codec[span](avro.Must[span]()))
	b.past = slices.Concat(all...)
	slices.SortFunc(b.past, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.From, b.From))
	})
	return err
}
