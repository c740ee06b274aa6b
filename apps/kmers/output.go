package kmers

import (
	"maps"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// create opens both outputs, so that errors are reported before all work. All ranks call it.
func (b *bench) create() (err error) {
	to := b.config.Output
	to.Replace = to.Replace && to.Path != ""
	if b.out, err = apps.NewRowWriter(b.rank, to, "count"); err != nil {
		return err
	}
	b.shape, err = apps.NewRowWriter(b.rank, b.config.histogram(), "")
	return err
}

func (b *bench) abort() {
	b.out.Abort()
	if b.shape != nil {
		b.shape.Abort()
	}
}

// write writes the k-mers and their histogram.
func (b *bench) write(p *Result) error {
	if p.Errors > 0 {
		return nil
	}
	if b.out.Wanted() {
		if err := b.writeCounts(p); err != nil {
			return err
		}
	}
	if b.shape.Wanted() {
		if err := b.writeHistogram(p); err != nil {
			return err
		}
	}
	return b.out.Close(&p.Report)
}

// counted is a k-mer and its count.
type counted = container.Entry[uint64, uint64]

// writeCounts writes the k-mers with their counts, sorted.
func (b *bench) writeCounts(p *Result) error {
	rows := table.NewSortingBy(b.rank, "k-mers in order", container.Budget{}, func(row counted) uint64 { return row.Key },
		func(row counted) uint64 { return apps.Fold(row.Key, row.Value) })
	for k, n := range b.counts.LocalAll() {
		rows.Add(counted{Key: k, Value: n})
	}
	columns := []table.Column{table.TextColumn("kmer"), table.CountColumn("count")}
	_, err := table.WriteSorted(&p.Report, rows, b.out, columns, func(dst []table.Value, row counted) []table.Value {
		return append(dst, table.TextOf(textOf(row.Key, b.config.K)), table.UintOf(row.Value))
	})
	return err
}

// textOf returns the letters of a k-mer.
func textOf(kmer uint64, k int) string {
	text := make([]byte, k)
	for i := range text {
		text[i] = "ACGT"[kmer>>(2*(k-1-i))&3]
	}
	return string(text)
}

// writeHistogram writes the number of k-mers of each count, on rank 0.
func (b *bench) writeHistogram(p *Result) error {
	own := map[uint64]uint64{}
	for _, n := range b.counts.LocalAll() {
		own[n]++
	}
	var pairs []counted
	for n, kmers := range own {
		pairs = append(pairs, counted{Key: n, Value: kmers})
	}
	all, err := pebble.AllGatherSlice(b.rank, pairs)
	if err != nil {
		return err
	}
	total := map[uint64]uint64{1: p.Filtered}
	for _, pair := range slices.Concat(all...) {
		total[max(1, pair.Key)] += pair.Value
	}
	w := table.NewWriter(b.shape, []table.Column{table.CountColumn("multiplicity"), table.CountColumn("kmers")})
	for _, n := range slices.Sorted(maps.Keys(total)) {
		if b.rank.ID() == 0 && total[n] > 0 {
			w.Write([]table.Value{table.UintOf(n), table.UintOf(total[n])})
		}
	}
	w.Flush()
	var report apps.Report // of the histogram alone
	err = b.shape.Close(&report)
	p.Shape = report.Output
	return err
}
