package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/disk"
)

// folderName returns the name of a checkpoint's folder.
func folderName(name string, number int) string { return fmt.Sprintf("%s-%06d", name, number) }

// A folder is a checkpoint on one host: all its files, or those of the host's ranks.
type folder struct {
	Number int
	Note   json.RawMessage
	Files  []export.Part // on this host
	Wrong  string        // the reason why its manifest cannot be read
}

// list finds the checkpoints below a folder of this host, and removes the remains of killed processes.
func list(in, name string) (all []folder, err error) {
	if err := os.MkdirAll(in, 0o777); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(in)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if isLeft(e.Name(), name) {
			if err := os.RemoveAll(filepath.Join(in, e.Name())); err != nil {
				return nil, err
			}
		}
		if number := numberOf(e.Name(), name); number > 0 {
			all = append(all, look(filepath.Join(in, e.Name()), number))
		}
	}
	return all, nil
}

// numberOf returns the number of a checkpoint's folder, or 0 for other names.
func numberOf(entry, name string) int {
	digits, ok := strings.CutPrefix(entry, name+"-")
	number, err := strconv.Atoi(digits)
	if !ok || err != nil || number < 1 || folderName(name, number) != entry {
		return 0
	}
	return number
}

// isLeft reports whether an entry is the temporary folder of a checkpoint that was not finished or not removed.
func isLeft(entry, name string) bool {
	hidden, ok := strings.CutPrefix(entry, ".")
	whole, number, temporary := strings.Cut(hidden, temporaryMark)
	return ok && temporary && strings.Trim(number, "0123456789") == "" && numberOf(whole, name) > 0
}

// temporaryMark separates the name of a checkpoint from a number in the names of temporary folders, which package
// export makes.
const temporaryMark = ".tmp"

// look reads a checkpoint's manifest.
func look(path string, number int) folder {
	f := folder{Number: number}
	m, err := export.ReadManifest(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: it has lost its manifest: %s", err, remedy)
	}
	if err != nil {
		f.Wrong = err.Error()
		return f
	}
	f.Note = m.Note
	f.Files = m.Parts
	return f
}

// find returns the newest whole checkpoint, or nil. It is collective.
func (c *Checkpoint) find() (*choice, error) {
	group, err := dataset.GroupOf(c.rank, dataset.Host(c.rank))
	if err != nil {
		return nil, err
	}
	c.group = group
	var text []byte
	var failed error
	if group.Leader() == c.rank.ID() {
		var own []folder
		if own, failed = list(c.config.Folder, c.name); failed == nil {
			text, failed = json.Marshal(own)
		}
	}
	if err := dataset.Agree(c.rank, failed); err != nil {
		return nil, err
	}
	texts, err := c.rank.AllGatherBytes(text)
	if err != nil {
		return nil, err
	}
	hosts := map[int][]folder{} // by leader
	for rank, text := range texts {
		if len(text) == 0 {
			continue
		}
		var of []folder
		if err := json.Unmarshal(text, &of); err != nil {
			return nil, err
		}
		hosts[rank] = of
	}
	found, err := c.choose(hosts)
	return found, dataset.Agree(c.rank, err)
}

// remove removes the checkpoints of this host except the newest two: the one just saved, and the one before.
func (c *Checkpoint) remove(before int) {
	if c.rank.ID() != c.group.Leader() {
		return
	}
	entries, err := os.ReadDir(c.config.Folder)
	for _, e := range entries {
		if number := numberOf(e.Name(), c.name); number > 0 && number <= c.newest && number != before {
			err = errors.Join(err, removeWhole(filepath.Join(c.config.Folder, e.Name())))
		}
	}
	if err != nil {
		c.rank.Config().Log.Warn("checkpoint: remove an old one", "error", err)
	}
}

// removeWhole removes a checkpoint. It renames the folder before it removes files, so no partial checkpoint has its
// name.
func removeWhole(path string) error {
	hidden := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+temporaryMark)
	if err := disk.Rename(path, hidden); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another host that shares the folder has removed it
		}
		return err
	}
	return os.RemoveAll(hidden)
}
