package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/pebble"
)

// A place is where a rank's part becomes a file: a temporary folder beside the name that it will have.
type place struct {
	name, temp string
	maker      int // the rank that has made the folder, of this host or one that shares it
	made       bool
}

// makerPrefix begins the name of the file that says who has made a temporary folder.
const makerPrefix = ".made-by-"

// newPlace makes the temporary folder, on each host that does not see that of rank 0. It is collective.
func newPlace(r *pebble.Rank, name string, o options) (*place, error) {
	p := &place{name: name}
	var err error
	if r.ID() == 0 {
		if err = o.vacant(name); err == nil {
			p.temp, err = os.MkdirTemp(filepath.Dir(name), "."+filepath.Base(name)+".tmp")
			p.made = err == nil
		}
	}
	temp, failed := pebble.Broadcast(r, 0, p.temp, pebble.Strings{})
	if failed != nil {
		p.remove()
		return nil, failed
	}
	p.temp = temp
	group, failed := dataset.GroupOf(r, o.host)
	if failed == nil && r.ID() != 0 && temp != "" && r.ID() == group.Leader() {
		err = p.join(o)
	}
	if err == nil && p.made {
		err = disk.WriteFile(filepath.Join(temp, makerPrefix+strconv.Itoa(r.ID())), nil, 0o666)
	}
	if err = errors.Join(failed, dataset.Agree(r, p.blame(err))); err == nil {
		err = dataset.Agree(r, p.blame(p.find()))
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

func (p *place) blame(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write %s: %w", p.name, advise(err))
}

// vacant refuses a name that is taken.
func (o options) vacant(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !o.replace {
		return errTaken
	}
	return o.replaceable(name, info)
}

// replaceable refuses what Replace does not replace: all but a file, or a folder that has a manifest.
func (o options) replaceable(name string, info fs.FileInfo) error {
	whole := info.Mode().IsRegular()
	if !o.oneFile {
		_, err := os.Lstat(filepath.Join(name, ManifestName))
		whole = info.IsDir() && err == nil
	}
	if !whole {
		return errors.New("it is not an output of this call, so it is not replaced: remove it, or choose " +
			"another name")
	}
	return nil
}

// join makes the temporary folder on another host, unless it sees that of rank 0.
func (p *place) join(o options) error {
	if err := os.Mkdir(p.temp, 0o777); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	p.made = true
	if o.oneFile {
		return fmt.Errorf("host %s does not see the folder of rank 0: choose one that all hosts share, or leave "+
			"export.OneFile out", o.host)
	}
	return o.vacant(p.name)
}

// find finds out who has made the folder that this rank sees.
func (p *place) find() error {
	entries, err := os.ReadDir(p.temp)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if number, ok := strings.CutPrefix(e.Name(), makerPrefix); ok {
			p.maker, err = strconv.Atoi(number)
			return err
		}
	}
	return fmt.Errorf("the temporary folder %s is another's: try again", p.temp)
}

// remove removes the folder, if this rank has made it.
func (p *place) remove() {
	if p.made {
		os.RemoveAll(p.temp)
	}
}

// A swap gives a temporary file or folder its name, and can be taken back. Without Replace the name must still be free,
// with it what has the name must be what Replace replaces: others may have written there since Create.
type swap struct {
	options
	name, temp string
	old        string // where what had the name is kept; "" when there was nothing
	done       bool
}

// do renames.
func (s *swap) do() error {
	if s.replace {
		if err := s.putAside(); err != nil {
			return err
		}
	}
	if err := renameNew(s.temp, s.name); err != nil {
		return err
	}
	s.done = true
	return syncFolder(filepath.Dir(s.name))
}

// putAside makes the name free.
func (s *swap) putAside() error {
	err := disk.Rename(s.name, s.temp+".old")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.old = s.temp + ".old"
	info, err := os.Lstat(s.old)
	if err != nil {
		return err
	}
	return s.replaceable(s.old, info)
}

// undo takes back what do has done, as far as it came.
func (s *swap) undo() {
	if s.done {
		os.RemoveAll(s.name)
	}
	if s.old != "" {
		_ = renameNew(s.old, s.name) // what was there is there again, or under its other name
	}
}

// keep removes what had the name before.
func (s *swap) keep() error {
	if s.old == "" {
		return nil
	}
	return errors.Join(disk.Meets("remove", s.old), os.RemoveAll(s.old))
}

// syncFolder has the names in a folder reach the disk.
func syncFolder(name string) error {
	f, err := disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
