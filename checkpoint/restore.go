package checkpoint

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// restoring is the state of Restore while it reads.
type restoring struct {
	*Checkpoint
	found   *choice
	target  *target.Target[parcel]
	counts  []uint64 // number of elements of each part that this rank has read
	headers []uint64 // by writing rank: number of files that this rank has read
	err     error    // first error
}

// read restores a checkpoint. It is collective.
func (c *Checkpoint) read(found *choice) error {
	own := c.description()
	if err := dataset.Agree(c.rank, own.fits(&found.note)); err != nil {
		return err
	}
	in, err := c.open(found)
	if err != nil {
		return fmt.Errorf("%w, or %s", err, remedy)
	}
	s := &restoring{Checkpoint: c, found: found, counts: make([]uint64, len(c.parts)),
		headers: make([]uint64, found.Ranks)}
	s.target = target.New(c.rank, "checkpoint "+c.name, distribution.Ranks(c.rank.Size()),
		target.Keys(ranksOf), target.Each(s.take), target.Coded(parcels{}))
	err = c.rank.Epoch(func() error {
		for r := range in.All() {
			s.load(r)
		}
		return nil // ranks agree on errors after the epoch
	}, pebble.Named("restore "+c.name), pebble.EndBy(termination.SKR)) // it declares no depth
	if err != nil {
		return err
	}
	for i := range c.parts {
		p := &c.parts[i]
		if err := p.finish(); err != nil {
			s.fails(p.name, err)
		}
	}
	s.target.Free()
	if err := s.whole(cmp.Or(in.Err(), s.err)); err != nil {
		return err
	}
	c.start(c.rank.Now())
	c.asked = found.atRisk(c.group.Hosts)
	return nil
}

func ranksOf(ps []parcel, keys []uint64) {
	for i := range ps {
		keys[i] = uint64(ps[i].To)
	}
}

// open opens the files. Each host reads some of those that it has, and ranks send elements to their owners.
func (c *Checkpoint) open(found *choice) (*ingest.Source[record], error) {
	dealt, err := c.checked(found)
	if err != nil {
		return nil, err
	}
	return ingest.Open(c.rank, c.here(dealt), ingest.AvroOf(avroRecords{}), ingest.PerHost())
}

// load handles a record from a file.
func (s *restoring) load(r record) {
	switch {
	case r.Part == headerPart && string(r.Data) == s.found.ID && r.First < uint64(len(s.headers)):
		s.headers[r.First]++
	case r.Part == headerPart:
		s.fails("", fmt.Errorf("the file of rank %d is of another checkpoint: %s", r.First, remedy))
	case r.Part < 0 || r.Part >= len(s.parts):
		s.fails("", errRecord)
	default:
		p := &s.parts[r.Part]
		s.counts[r.Part] += uint64(r.Count)
		s.fails(p.name, p.load(r, func(to int, sent record) {
			sent.Part = r.Part
			if to == s.rank.ID() {
				s.fails(p.name, p.take(sent))
				return
			}
			s.target.Send(parcel{uint32(to), sent})
		}))
	}
}

// take handles a record from another rank.
func (s *restoring) take(p parcel) {
	if p.Part < 0 || p.Part >= len(s.parts) {
		s.fails("", errRecord)
		return
	}
	s.fails(s.parts[p.Part].name, s.parts[p.Part].take(p.record))
}

// fails keeps the first error.
func (s *restoring) fails(part string, err error) {
	if err != nil && part != "" {
		err = fmt.Errorf("part %q: %w", part, err)
	}
	s.err = cmp.Or(s.err, err)
}

// whole agrees on errors, and on missing or surplus elements. It is collective.
func (s *restoring) whole(err error) error {
	if err := dataset.Agree(s.rank, err); err != nil {
		return err
	}
	headers, err := s.sums(s.headers)
	if err != nil {
		return err
	}
	for rank, n := range headers {
		if n != 1 {
			return fmt.Errorf("the file of rank %d was read %d times instead of once: %s", rank, n, remedy)
		}
	}
	counts, err := s.sums(s.counts)
	if err != nil {
		return err
	}
	for i, p := range s.found.Parts {
		if counts[i] != p.Elements {
			return fmt.Errorf("the part %q has %d elements instead of %d: %s", p.Name, counts[i], p.Elements, remedy)
		}
	}
	return nil
}
