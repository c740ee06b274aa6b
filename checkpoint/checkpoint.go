package checkpoint

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
)

// Checkpoint saves and restores the state of a program. It belongs to its rank's goroutine. All ranks call its methods
// collectively from the main function, between epochs; only Request may be called elsewhere.
type Checkpoint struct {
	rank   *pebble.Rank
	config pebble.Checkpoints
	name   string
	parts  []Part
	told   []described // descriptions of the parts
	timing
	looked  bool          // Restore was called
	group   dataset.Group // ranks of this host
	newest  int           // highest number on any host
	behind  *behind       // the checkpoint that is written while the ranks compute
	failed  error         // its error, for the next Save
	current int           // number of the last saved or restored checkpoint; 0 for none
}

// behind is a checkpoint whose files are still being written.
type behind struct {
	out    *export.Sink[record]
	number int
}

// New describes the state that a program saves. name becomes a part of file names. New is collective: all ranks call it
// with the same name, and with parts of the same names and kinds in the same order. It reads and writes no file. Like
// target.New, it ends the job if an argument is wrong.
func New(r *pebble.Rank, name string, parts ...Part) *Checkpoint {
	c := &Checkpoint{rank: r, config: r.Config().Checkpoints, name: name, parts: parts}
	c.start(r.Now())
	r.Inside(frame.Access{}).Hooks.OnEnd(c.end)
	r.Inside(frame.Access{}).Job.Config().Described()
	err := checkName(name)
	if team := r.Inside(frame.Access{}).Team(); team != "" {
		err = fmt.Errorf("its rank is of team %q: a checkpoint is of the whole job: give the rank of the job", team)
	}
	names := map[string]bool{}
	for i := 0; i < len(parts) && err == nil; i++ {
		p := &parts[i]
		switch {
		case p.kept == nil:
			err = errors.New("a part is the zero Part: make it by checkpoint.Value or another function")
		case names[p.name]:
			err = fmt.Errorf("two parts have the name %q: give each its own name", p.name)
		default:
			var is string
			if is, err = p.begin(r); err != nil {
				err = fmt.Errorf("part %q: %w", p.name, err)
			}
			c.told = append(c.told, described{Name: p.name, Is: is})
		}
		names[p.name] = true
	}
	if err != nil {
		r.Inside(frame.Access{}).Fail(fmt.Errorf("checkpoint: rank %d: make %q: %w", r.ID(), name, err))
	}
	return c
}

// checkName returns an error for a name that cannot be a part of file names.
func checkName(name string) error {
	if name == "" || name[0] == '.' || filepath.Base(name) != name {
		return errors.New("the name is to begin the names of folders: give one without slash, and no point at its front")
	}
	return nil
}

// Restore sets the parts to the values of the newest checkpoint, and reports whether one exists. It is collective; call
// it once, before the loop. A checkpoint of another program, with other arguments or other parts, and a damaged one are
// errors on all ranks. After an error some parts may have new values, so end the job.
func (c *Checkpoint) Restore() (restored bool, err error) {
	c.looked = true
	if c.config.Folder == "" {
		return false, nil
	}
	found, err := c.find()
	if err != nil {
		return false, fmt.Errorf("checkpoint: restore %s from %s: %w", c.name, c.config.Folder, err)
	}
	if found == nil {
		return false, nil
	}
	if err := c.read(found); err != nil {
		return false, fmt.Errorf("checkpoint: restore %s: %w", c.path(c.current), err)
	}
	return true, nil
}

// path returns the folder of a checkpoint.
func (c *Checkpoint) path(number int) string {
	return filepath.Join(c.config.Folder, folderName(c.name, number))
}

// Save writes a checkpoint. It is collective, and returns when the whole checkpoint is on disk. On an error, which all
// ranks get, it leaves nothing of the checkpoint, and keeps the earlier ones. If Due has become true because the job
// must make room, Save returns [pebble.ErrPreempted] after the checkpoint, and the program must return that. The
// program owns the parts again when Save returns.
//
// With Copy of [pebble.Checkpoints], Save returns when the files are in memory; a goroutine of each rank writes them.
// The checkpoint is complete when a later Due finds the files written, at the latest when the next Save begins or the
// job ends. An error makes Due true; the next Save returns it, or it fails the job at its end.
func (c *Checkpoint) Save() error {
	if c.config.Folder == "" {
		return nil
	}
	if !c.looked {
		return fmt.Errorf("checkpoint: save %s: Restore was not called: call it once, before the loop", c.name)
	}
	err := c.settle()
	if err == nil {
		err = c.write(c.newest + 1)
	}
	if err == nil && (c.stop || !c.config.Copy) {
		err = c.settle()
	}
	if err != nil {
		return fmt.Errorf("checkpoint: save: %w", err)
	}
	if c.saved = c.rank.Now(); c.stop {
		return pebble.ErrPreempted
	}
	return nil
}

// settle waits for the checkpoint that is being written, and gives it its name. It is collective.
func (c *Checkpoint) settle() error {
	b, err := c.behind, c.failed
	c.behind, c.failed = nil, nil
	if b == nil {
		return err
	}
	defer b.out.Abort() // no effect after Close
	if _, err := b.out.Close(); err != nil {
		return err
	}
	c.remove(c.current)
	c.newest, c.current = b.number, b.number
	if saved := c.rank.Inside(frame.Access{}).Job.Config().Saved; saved != nil && c.rank.ID() == 0 {
		saved()
	}
	return nil
}

// end settles the last checkpoint after the rank's function, or aborts it if the job has failed.
func (c *Checkpoint) end(returned bool) error {
	if !returned {
		if c.behind != nil {
			c.behind.out.Abort()
		}
		return nil
	}
	if err := c.settle(); err != nil {
		return fmt.Errorf("checkpoint: save: %w", err)
	}
	return nil
}

// write begins a checkpoint. When it returns, all records are in the files, or in memory. It is collective.
func (c *Checkpoint) write(number int) error {
	id := ""
	if c.rank.ID() == 0 {
		id = rand.Text()
	}
	id, err := pebble.Broadcast(c.rank, 0, id, pebble.Strings{})
	if err != nil {
		return err
	}
	compression, opts := export.Null, []export.Option{export.Copies(frame.Access{})}
	if c.config.Zstd {
		compression = export.Zstandard
	}
	if c.config.Copy {
		opts = append(opts, export.Later(frame.Access{}))
	}
	out, err := export.Create(c.rank, c.path(number), export.AvroOf(avroRecords{}, compression), opts...)
	if err != nil {
		return err
	}
	c.behind = &behind{out, number}
	counts := make([]uint64, len(c.parts))
	err = dataset.Agree(c.rank, c.writeParts(id, counts, out.Write))
	var text json.RawMessage
	if err == nil {
		text, err = c.note(id, counts)
	}
	if err != nil {
		c.behind = nil
		out.Abort()
		return err
	}
	if out.Note(text); c.config.Copy {
		out.Written(frame.Access{})
	}
	return nil
}

// writeParts writes this rank's records, and counts the elements of each part.
func (c *Checkpoint) writeParts(id string, counts []uint64, write func(record) error) error {
	err := write(record{Part: headerPart, First: uint64(c.rank.ID()), Data: []byte(id)})
	for i, p := range c.parts {
		if err == nil {
			err = p.save(func(r record) error {
				r.Part = i
				counts[i] += uint64(r.Count)
				return write(r)
			})
		}
		if err != nil {
			return fmt.Errorf("part %q: %w", p.name, err)
		}
	}
	return err
}

// note returns the description of the checkpoint for its manifest. It is collective.
func (c *Checkpoint) note(id string, counts []uint64) (json.RawMessage, error) {
	sums, err := c.sums(counts)
	if err != nil {
		return nil, err
	}
	n := c.description()
	n.ID = id
	for i := range n.Parts {
		n.Parts[i].Elements = sums[i]
	}
	return json.Marshal(n)
}

// sums adds the counts of all ranks. It is collective.
func (c *Checkpoint) sums(counts []uint64) ([]uint64, error) {
	all, err := pebble.AllGatherSlice(c.rank, counts)
	sums := make([]uint64, len(counts))
	for _, of := range all {
		for i, n := range of {
			sums[i] += n
		}
	}
	return sums, err
}

// timing decides when a checkpoint is due.
type timing struct {
	made, saved time.Duration // times on the job's clock
	asked       bool          // Request was called on this rank
	stop        bool          // the job must make room
}

func (t *timing) start(now time.Duration) { t.made, t.saved = now, now }

// Bits of a rank's word in Due.
const (
	due     uint64 = 1 << iota // now
	dueStop                    // now, and then the job ends
	writing                    // the previous checkpoint is not written yet
)

// Due reports whether it is time to save, with the same result on all ranks: after the time that the user has set,
// after a signal to any process, or after a Request on any rank. It is collective, and costs an all-reduce of one word,
// or nothing in a job without a folder for checkpoints. It is false if the job has failed, which the next epoch
// reports.
func (c *Checkpoint) Due() bool {
	if c.config.Folder == "" {
		return false
	}
	all, err := pebble.AllReduce(c.rank, c.own(), func(a, b uint64) uint64 { return a | b })
	if err != nil {
		return false
	}
	c.stop, c.asked = c.stop || all&dueStop != 0, false
	if c.behind != nil && all&writing == 0 {
		c.failed = c.settle()
	}
	return all&^writing != 0 || c.failed != nil
}

// own returns this rank's word. Rank 0's clock counts for all.
func (c *Checkpoint) own() (word uint64) {
	if c.asked {
		word = due
	}
	if c.behind != nil && !c.behind.out.Written(frame.Access{}) {
		word |= writing
	}
	select {
	case <-c.rank.Preempted():
		word |= dueStop
	default:
	}
	if c.rank.ID() == 0 {
		now := c.rank.Now()
		if c.config.Every > 0 && now-c.saved >= c.config.Every {
			word |= due
		}
		if c.config.Limit > 0 && now-c.made >= c.config.Limit {
			word |= dueStop
		}
	}
	return word
}

// Request makes the next Due true on all ranks. Any rank may call it, even in a handler.
func (c *Checkpoint) Request() { c.asked = true }
