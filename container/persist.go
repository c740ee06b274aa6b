package container

import (
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target/avro"
)

// Save writes the entries of all ranks to a folder: an Avro object container file for each rank, compressed by zstd,
// and a manifest with checksums. The folder is there as a whole or not at all, and must not be there before, unless
// export.Replace says otherwise. The types of keys and values are those of package target/avro; other programs can read
// the files. All ranks call it.
func (v View[K, V]) Save(folder string, options ...export.Option) error {
	codec, err := avro.New[Entry[K, V]]()
	if err != nil {
		return v.failed(err)
	}
	out, err := export.Create(v.rank, folder, export.AvroOf(codec, export.Zstandard), options...)
	if err != nil {
		return v.failed(err)
	}
	defer out.Abort()
	for k, x := range v.local {
		if err := out.Write(Entry[K, V]{k, x}); err != nil {
			return v.failed(err)
		}
	}
	if _, err = out.Close(); err != nil {
		return v.failed(err)
	}
	return nil
}

// load is an epoch in which put gets what Save has written to a folder, each entry on some rank. The number of ranks
// may be another one now.
func load[K, V any](v View[K, V], folder string, put func(es []Entry[K, V])) error {
	codec, err := avro.New[Entry[K, V]]()
	if err != nil {
		return v.failed(err)
	}
	in, err := ingest.Open(v.rank, []string{folder}, ingest.AvroOf(codec))
	if err != nil {
		return v.failed(err)
	}
	return v.rank.Epoch(func() error {
		batch := make([]Entry[K, V], 0, chunk)
		for e := range in.All() {
			if batch = append(batch, e); len(batch) == chunk {
				put(batch)
				batch = batch[:0]
			}
		}
		put(batch)
		if err := in.Err(); err != nil {
			return v.failed(err)
		}
		return nil
	}, pebble.Named(v.name+" load"))
}

// Load puts the entries that a map has saved to a folder, by any number of ranks. All ranks call it.
func (m *Map[K, V]) Load(folder string) error { return load(m.View, folder, m.PutAll) }

// Load adds the counts that a counter has saved to a folder, by any number of ranks. All ranks call it.
func (c *Counter[K]) Load(folder string) error { return load(c.View, folder, c.adds.SendAll) }

// Load adds the values that a multimap has saved to a folder, by any number of ranks. All ranks call it.
func (m *MultiMap[K, V]) Load(folder string) error { return load(m.View, folder, m.AddAll) }

// Load inserts the keys that a set has saved to a folder, by any number of ranks. All ranks call it.
func (s *Set[K]) Load(folder string) error {
	return load(s.View, folder, func(es []Entry[K, struct{}]) {
		for _, e := range es {
			s.Insert(e.Key)
		}
	})
}

// Load joins the sets that disjoint sets have saved to a folder, by any number of ranks. All ranks call it.
func (d *DisjointSets[K]) Load(folder string) error { return load(d.View, folder, d.UnionAll) }

// Load adds the elements that a bag has saved to a folder, by any number of ranks: those of one file to one rank. All
// ranks call it.
func (b *Bag[V]) Load(folder string) error {
	return load(b.View, folder, func(es []Entry[int, V]) {
		for _, e := range es {
			b.Add(e.Value)
		}
	})
}

// Load adds the rows that a table has saved to a folder, by any number of ranks. Their order is lost. All ranks call
// it.
func (t *Table[R]) Load(folder string) error {
	return load(t.View, folder, func(es []Entry[int, R]) {
		for _, e := range es {
			t.Add(e.Value)
		}
	})
}
