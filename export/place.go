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

// A place is a temporary folder, beside the final name, for the parts of ranks.
type place struct {
	name, temp string
	maker      int // the rank that made the folder, on this host or one that shares it
	made       bool
}

// makerPrefix begins the name of a file in a temporary folder. The rest of the name is the rank that made the folder.
const makerPrefix = ".made-by-"

// newPlace makes the temporary folder, once on each set of hosts that share it. It is collective.
func newPlace(r *pebble.Rank, name string, o options) (*place, error) {
	p := &place{name: name}
	var err error
	if r.ID() == 0 {
		p.temp, err = o.vacantFolder(name)
		p.made = err == nil
	}
	temp, failed := pebble.Broadcast(r, 0, strings.TrimPrefix(p.temp, filepath.Dir(name)), pebble.Strings{})
	if failed != nil {
		p.remove()
		return nil, failed
	}
	p.temp = filepath.Join(filepath.Dir(name), temp) // the path of the folder may differ between hosts
	host := dataset.Host(r)
	group, failed := dataset.GroupOf(r, host)
	if failed == nil && r.ID() != 0 && temp != "" && r.ID() == group.Leader() {
		err = p.join(o, host)
	}
	if err == nil && p.made {
		err = disk.WriteFile(filepath.Join(p.temp, makerPrefix+strconv.Itoa(r.ID())), nil, 0o666)
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

// vacant returns an error if a name is taken.
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

// replaceable returns an error for anything but a file, or a folder that has a manifest: Replace does not replace it.
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

// join makes the temporary folder on another host, unless that shares the folder of rank 0.
func (p *place) join(o options, host string) error {
	if err := os.Mkdir(p.temp, 0o777); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	p.made = true
	if o.oneFile {
		return fmt.Errorf("host %s does not see the folder of rank 0: choose one that all hosts share, or leave "+
			"export.OneFile out", host)
	}
	return o.vacant(p.name)
}

// find finds the rank that made the folder.
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

// remove removes the folder if this rank made it.
func (p *place) remove() {
	if p.made {
		os.RemoveAll(p.temp)
	}
}

// syncFolder syncs the names in a folder to the disk.
func syncFolder(name string) error {
	f, err := disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
