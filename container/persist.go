package container

import (
	"iter"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// Savable is a container or view that [Save] can write, with a record for each [Entry] or element: all containers of
// this package, and their views.
type Savable[E any] interface{ all() elements[E] }

// Save writes a container or a view of all ranks to a folder: an Avro object container file for each rank, compressed
// by zstd, and a manifest with checksums. The folder appears as a whole or not at all. It must not exist before, unless
// export.Replace allows it. The types of keys and values are those of package target/avro; other programs can read the
// files. All ranks call it.
func Save[E any](of Savable[E], folder string, options ...export.Option) error {
	v := of.all()
	codec, err := avro.New[E]()
	if err != nil {
		return failed(v.base, err)
	}
	out, err := export.Create(v.rank, folder, export.AvroOf(codec, export.Zstandard), options...)
	if err != nil {
		return failed(v.base, err)
	}
	defer out.Abort()
	for e := range v.local {
		if err := out.Write(e); err != nil {
			return failed(v.base, err)
		}
	}
	if _, err = out.Close(); err != nil {
		return failed(v.base, err)
	}
	return nil
}

// LocalRecords returns the records that [Save] writes for this rank.
func LocalRecords[E any](of Savable[E]) iter.Seq[E] { return of.all().local }

// Loadable is a container that [Load] can fill: all containers of this package.
type Loadable[E any] interface {
	Savable[E]
	load(es []E)
}

// Load adds the records of a saved container of the same kind, written by any number of ranks: entries of a [Map] are
// put, counts and values are added, sets are joined. The records of one file of a [Bag] or a [Table] go to one rank,
// and the order of rows is lost. Keys and values may have other types than the saved ones. Fields are matched by name,
// as for [ingest.AvroOf]: a type may move to another package, be renamed, lose fields, and gain fields that have a
// default (see package target/avro). All ranks call it.
func Load[E any](into Loadable[E], folder string) error {
	v := into.all()
	codec, err := avro.New[E]()
	if err != nil {
		return failed(v.base, err)
	}
	in, err := ingest.Open(v.rank, []string{folder}, ingest.AvroOf(codec))
	if err != nil {
		return failed(v.base, err)
	}
	return v.rank.Epoch(func() error {
		batch := make([]E, 0, chunk)
		for e := range in.All() {
			if batch = append(batch, e); len(batch) == chunk {
				into.load(batch)
				batch = batch[:0]
			}
		}
		into.load(batch)
		if err := in.Err(); err != nil {
			return failed(v.base, err)
		}
		return nil
	}, pebble.Named(v.name+" load"))
}

// AddRecords adds records to a container as [Load] does, in the body of an epoch. es is not kept.
func AddRecords[E any](into Loadable[E], es []E) { into.load(es) }

func (m *Map[K, V]) load(es []Entry[K, V])          { m.PutAll(es) }
func (c *Counter[K]) load(es []Entry[K, uint64])    { c.adds.SendAll(es) }
func (m *MultiMap[K, V]) load(es []Entry[K, V])     { m.AddAll(es) }
func (d *DisjointSets[K]) load(pairs []Entry[K, K]) { d.UnionAll(pairs) }

func (s *Set[K]) load(es []Entry[K, struct{}]) {
	for _, e := range es {
		s.Insert(e.Key)
	}
}

func (b *Bag[V]) load(vs []V) { b.here = append(b.here, vs...) }

func (t *Table[R]) load(rows []R) {
	for _, row := range rows {
		t.Add(row)
	}
}
