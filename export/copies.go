package export

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Copies makes each host that does not share the folder keep and list a copy of another host's parts beside its own. If
// one host is lost, the others have all parts. Close then runs an epoch. A reader takes each part from one host.
func Copies(frame.Access) Option { return option(func(o *options) { o.copies = true }) }

// keepers returns the rank that keeps a copy of each rank's part: one of the next host, in the order of the ranks that
// made the folders of hosts. It returns nil if no copies are wanted or all hosts share the folder.
func (o options) keepers(makers []int64) []int {
	members := map[int64][]int{}
	for rank, maker := range makers {
		members[maker] = append(members[maker], rank)
	}
	if !o.copies || len(members) == 1 {
		return nil
	}
	all := make([]int, len(makers))
	hosts := slices.Sorted(maps.Keys(members))
	for i, host := range hosts {
		next := members[hosts[(i+1)%len(hosts)]]
		for j, rank := range members[host] {
			all[rank] = next[j%len(next)]
		}
	}
	return all
}

// copyBytes is the number of bytes of a part in one pebble.
const copyBytes = 64 << 10

// copying is the state of the copies that a rank receives.
type copying struct {
	folder string
	parts  []Part
	files  map[uint64]disk.File // by the rank that wrote the part
	err    error                // first error
}

// copyParts sends each part to its keeper, which syncs it and compares its checksum. It is collective.
func (s *Sink[T]) copyParts(parts []Part, keepers []int) error {
	if keepers == nil {
		return nil
	}
	r := s.rank
	c := &copying{folder: s.place.temp, parts: parts, files: map[uint64]disk.File{}}
	defer c.close()
	for rank, keeper := range keepers {
		if keeper == r.ID() {
			c.open(uint64(rank))
		}
	}
	pieces := target.New(r, "copies of "+filepath.Base(c.folder), distribution.Ranks(r.Size()),
		target.Key(func(p shift) uint64 { return uint64(keepers[p.Rank]) }), target.Each(c.take),
		target.Coded[shift](shiftCodec{}))
	defer pieces.Free()
	err := r.Epoch(func() error {
		c.fails(r.ID(), c.send(uint64(r.ID()), pieces.Send))
		return nil // ranks agree on errors after the epoch
	}, pebble.Depth(1), pebble.Named("copies"))
	if err != nil {
		return err
	}
	return dataset.Agree(r, s.blame(c.finish()))
}

// fails keeps the first error.
func (c *copying) fails(rank int, err error) {
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("copy %s to another host: %w", c.parts[rank].Name, err)
	}
}

// open creates the file of a copy.
func (c *copying) open(rank uint64) {
	f, err := disk.OpenFile(filepath.Join(c.folder, c.parts[rank].Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if c.fails(int(rank), err); err == nil {
		c.files[rank] = f
	}
}

// send sends a rank's part.
func (c *copying) send(rank uint64, send func(shift)) error {
	f, err := os.Open(filepath.Join(c.folder, c.parts[rank].Name))
	if err != nil {
		return err
	}
	defer f.Close()
	for at := int64(0); ; {
		piece := make([]byte, copyBytes)
		n, err := f.ReadAt(piece, at)
		if n > 0 {
			send(shift{rank, uint64(at), piece[:n]})
		}
		if at += int64(n); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// take writes bytes of a copy.
func (c *copying) take(p shift) {
	f, ok := c.files[p.Rank]
	if !ok {
		return // creating its file failed, an error already
	}
	_, err := f.WriteAt(p.Data, int64(p.First))
	c.fails(int(p.Rank), err)
}

// finish syncs the copies and compares them with their checksums.
func (c *copying) finish() error {
	for rank, f := range c.files {
		delete(c.files, rank)
		err := errors.Join(f.Sync(), f.Close())
		if err == nil && c.err == nil {
			err = c.parts[rank].Check(c.folder)
		}
		c.fails(int(rank), err)
	}
	return c.err
}

// close closes the files that finish has not reached.
func (c *copying) close() {
	for _, f := range c.files {
		f.Close()
	}
}
