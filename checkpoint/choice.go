package checkpoint

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/activepebbles/pebbles/export"
)

// A choice is a checkpoint that could be restored.
type choice struct {
	note
	files map[string][]held // by name: the hosts that have the file
}

// held is a file on a host. leader is the first rank of the host.
type held struct {
	export.Part
	leader int
}

// choose returns the newest checkpoint with all its files. It skips checkpoints with missing files: a host may be gone,
// or may have died before its rename.
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
			"them, or remove the remaining files", folderName(c.name, lacking))
	}
	return nil, nil
}

// consider returns the checkpoint of a number, or nil if files of it are missing. A returning host may have a different
// checkpoint of that number.
func (c *Checkpoint) consider(number int, hosts map[int][]folder) (*choice, error) {
	all := map[string]*choice{} // by identity
	var wrong error
	for _, leader := range slices.Sorted(maps.Keys(hosts)) {
		for _, f := range hosts[leader] {
			if f.Number == number {
				wrong = cmp.Or(wrong, f.join(all, leader))
			}
		}
	}
	var whole *choice
	for _, one := range all {
		switch {
		case len(one.files) != one.Ranks:
		case whole != nil:
			return nil, fmt.Errorf("hosts have different checkpoints of this number: %s", another)
		default:
			whole = one
		}
	}
	if whole == nil {
		return nil, wrong
	}
	return whole, nil
}

// join adds a host's files to the checkpoint that they belong to.
func (f *folder) join(all map[string]*choice, leader int) error {
	if f.Wrong != "" {
		return errors.New(f.Wrong)
	}
	n, err := readNote(f.Note)
	if err != nil {
		return err
	}
	one := all[n.ID]
	if one == nil {
		one = &choice{note: n, files: map[string][]held{}}
		all[n.ID] = one
	}
	for _, file := range f.Files {
		one.files[file.Name] = append(one.files[file.Name], held{file, leader})
	}
	return nil
}

// atRisk reports whether only one host has some file although another host of the job could keep a copy.
func (f *choice) atRisk(hosts []string) bool {
	alone := func(at []held) bool { return len(at) == 1 }
	return slices.IndexFunc(hosts, func(h string) bool { return h != hosts[0] }) >= 0 &&
		slices.ContainsFunc(slices.Collect(maps.Values(f.files)), alone)
}

// deal distributes the files by bytes among the hosts that have them.
func (f *choice) deal() map[string]held {
	dealt, load := map[string]held{}, map[int]int64{}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		at := slices.MinFunc(f.files[name], func(a, b held) int { return cmp.Compare(load[a.leader], load[b.leader]) })
		load[at.leader] += at.Bytes
		dealt[name] = at
	}
	return dealt
}

// checked deals the files, and makes their hosts compare them with their checksums. A file that is damaged or missing
// is read on the other host that has it. It is collective.
func (c *Checkpoint) checked(found *choice) (map[string]held, error) {
	good := map[held]bool{}
	for {
		dealt := found.deal()
		bad, err := c.check(dealt, good)
		if err != nil || len(bad) == 0 {
			return dealt, err
		}
		for _, name := range slices.Sorted(maps.Keys(bad)) {
			at, why := dealt[name], bad[name]
			found.files[name] = slices.DeleteFunc(found.files[name], func(h held) bool { return h == at })
			if len(found.files[name]) == 0 {
				return nil, errors.New(why)
			}
			if c.rank.ID() == at.leader {
				c.rank.Config().Log.Warn("checkpoint: another host's copy is read", "error", why)
			}
		}
	}
}

// check makes the ranks of each host check the files dealt to it, except those in good, and returns the mistakes of bad
// files. It is collective.
func (c *Checkpoint) check(dealt map[string]held, good map[held]bool) (bad map[string]string, err error) {
	own, turn := map[string]string{}, 0
	for _, name := range slices.Sorted(maps.Keys(dealt)) {
		at := dealt[name]
		if at.leader == c.group.Leader() && !good[at] {
			turn++
			if c.group.Members[(turn-1)%len(c.group.Members)] == c.rank.ID() {
				err := at.Check(c.path(c.current))
				if errors.Is(err, fs.ErrNotExist) {
					err = fmt.Errorf("%w: it is missing", err)
				}
				if err != nil {
					own[name] = err.Error()
				}
			}
		}
		good[at] = true
	}
	text, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	texts, err := c.rank.AllGatherBytes(text)
	bad = map[string]string{}
	for _, text := range texts {
		err = errors.Join(err, json.Unmarshal(text, &bad))
	}
	return bad, err
}

// here returns the paths of the files that this host reads.
func (c *Checkpoint) here(dealt map[string]held) (paths []string) {
	for _, name := range slices.Sorted(maps.Keys(dealt)) {
		if dealt[name].leader == c.group.Leader() {
			paths = append(paths, filepath.Join(c.path(c.current), name))
		}
	}
	return paths
}
