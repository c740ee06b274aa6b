package checkpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/disk"
)

// folderName is the name of a checkpoint's folder.
func folderName(name string, number int) string { return fmt.Sprintf("%s-%06d", name, number) }

// A folder is a checkpoint as one host has it: all files, or those of its ranks.
type folder struct {
	Number int
	Note   json.RawMessage
	Files  []export.Part // that are here
	Wrong  string        // why its manifest can't be read
}

// list finds the checkpoints below a folder of this host, and removes what killed processes have left there.
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

// numberOf is the number of a checkpoint's folder; 0 for other names.
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

// temporaryMark is between a checkpoint's name and a number in names of temporary folders, as package export makes
// them.
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

// A choice is the checkpoint that is restored.
type choice struct {
	note
	perHost bool          // hosts do not share it
	files   []export.Part // that this host reads, if so
}

// find finds the newest checkpoint that is whole; nil is none. It is collective.
func (c *Checkpoint) find() (*choice, error) {
	group, err := dataset.GroupOf(c.rank, dataset.Host())
	if err != nil {
		return nil, err
	}
	c.leader = group.Leader()
	var text []byte
	var failed error
	if c.leader == c.rank.ID() {
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

// choose takes the newest checkpoint whose files are all there. One that hosts lack files of, because a host is gone or
// has died before it was renamed there, is passed over.
func (c *Checkpoint) choose(hosts map[int][]folder) (*choice, error) {
	numbers := map[int]bool{}
	for _, folders := range hosts {
		for _, f := range folders {
			numbers[f.Number] = true
		}
	}
	lacking := 0
	for _, number := range slices.Backward(slices.Sorted(maps.Keys(numbers))) {
		c.newest = max(c.newest, number)
		found, err := c.consider(number, hosts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folderName(c.name, number), err)
		}
		if found != nil {
			c.current = number
			return found, nil
		}
		lacking = cmp.Or(lacking, number)
	}
	if lacking == 1 {
		c.rank.Config().Log.Warn("checkpoint: the first one was not finished: begin anew", "folder", c.path(1))
		return nil, nil
	}
	if lacking > 0 {
		return nil, fmt.Errorf("%s and those before it lack files of some ranks: start the job on the hosts that have "+
			"them, or remove what is left", folderName(c.name, lacking))
	}
	return nil, nil
}

// consider is the checkpoint with a number; nil when files of it are missing.
func (c *Checkpoint) consider(number int, hosts map[int][]folder) (*choice, error) {
	found := &choice{}
	taken := map[string]bool{}
	shared := true
	for _, leader := range slices.Sorted(maps.Keys(hosts)) {
		i := slices.IndexFunc(hosts[leader], func(f folder) bool { return f.Number == number })
		if i < 0 {
			shared = false
			continue
		}
		f := &hosts[leader][i]
		if f.Wrong != "" {
			return nil, errors.New(f.Wrong)
		}
		n, err := readNote(f.Note)
		if err != nil {
			return nil, err
		}
		if found.ID != "" && found.ID != n.ID {
			return nil, fmt.Errorf("hosts have different checkpoints of this number: %s", another)
		}
		found.note = n
		shared = shared && len(f.Files) == n.Ranks
		for _, file := range f.Files {
			if !taken[file.Name] && leader == c.leader {
				found.files = append(found.files, file)
			}
			taken[file.Name] = true
		}
	}
	if found.perHost = !shared; len(taken) != found.Ranks {
		return nil, nil
	}
	return found, nil
}

// remove removes the checkpoints of this host but the newest two: the one that was saved now, and the one before.
func (c *Checkpoint) remove(before int) {
	if c.rank.ID() != c.leader {
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

// removeWhole removes a checkpoint, which has its name no more when its first file goes.
func removeWhole(path string) error {
	hidden := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+temporaryMark)
	if err := disk.Rename(path, hidden); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // by another host that shares the folder
		}
		return err
	}
	return os.RemoveAll(hidden)
}
