package worlds

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
)

// saving configures saves of the program's state, and the jobs that continue after the first one has ended or died. The
// tests of package checkpoint kill processes; worlds check that the restored state is that of one moment, on any number
// of ranks.
type saving struct {
	Saves   int // percent of the epochs before which the state is saved
	Crash   int // number of the file operation from which on all fail, as if the host were gone; 0: none
	Between int // ranks of a continued job that meets the faults of the first one; 0: no such job
	Again   int // ranks of the continued job that runs to the end; 0: nothing is saved
}

func (s saving) check(w *World) error {
	switch {
	case max(s.Again, s.Between) > 1<<16:
		return fmt.Errorf("worlds: jobs that go on with %d and %d ranks: give at most %d", s.Between, s.Again, 1<<16)
	case s.Again > 0 && (w.Map > 1 || w.moves() || w.Tasks > 0 || w.Arrays > 0 || w.Tune > 0):
		return errors.New("worlds: again is for a map of 0 or 1, without keys that move, tasks, arrays and tuning")
	}
	return nil
}

// saves draws the settings of a world that saves its state.
func (d drawn) saves(w *World) {
	w.Saves, w.Again = one(d, 30, 70, 100), 1+d.small(9)
	w.Map, w.Moving, w.Moves, w.Arrays, w.Addresses, w.Tune, w.tasking = d.IntN(2), 0, 0, 0, 0, 0, tasking{}
	w.Epochs = 2 + d.small(4)
	if d.chance(30) {
		w.Between = 1 + d.small(9)
	}
	if d.chance(40) {
		w.Crash = 1 + d.IntN(100)
	}
	if w.Processes > 1 && d.chance(50) {
		w.Death, w.When = 1+d.IntN(w.Processes), d.IntN(one(d, 20_000, 300_000))
	}
}

// drawSaving returns the world of a seed, changed to save its state.
func drawSaving(seed uint64) World {
	w := Draw(seed)
	if d := (drawn{rand.New(rand.NewPCG(seed, 0x7361766564))}); w.Again == 0 {
		d.saves(&w)
	}
	return w.repaired()
}

// on returns the world of a continued job with the given number of ranks.
func (w World) on(ranks int) World {
	w.Ranks = ranks
	return w.repaired()
}

// again returns the world of the last job, without faults that end it.
func (w World) again() World {
	w.Loss, w.Corrupt, w.Death, w.Freeze, w.Partition = 0, 0, 0, 0, 0
	return w.on(w.Again)
}

// runAgain runs a job, possibly a second one, and a last one, which must reach the end of the twin.
func (w World) runAgain(t twin) (Outcome, error) {
	in, err := newSaved()
	if err != nil {
		return Outcome{}, err
	}
	defer in.remove()
	jobs, stats := []World{w}, sim.Stats{}
	if w.Between > 0 {
		jobs = append(jobs, w.on(w.Between))
	}
	for _, job := range jobs {
		in.crash(w.Crash)
		o, err := job.run(t, w.Ranks, in)
		if in.heals(); err != nil && !strings.Contains(err.Error(), errCrash.Error()) {
			return o, err
		}
		stats.Frames, stats.Turns = stats.Frames+o.Stats.Frames, stats.Turns+o.Stats.Turns
	}
	o, err := w.again().run(t, w.Ranks, in)
	o.Resumed = in.resumed
	o.Stats.Frames, o.Stats.Turns = o.Stats.Frames+stats.Frames, o.Stats.Turns+stats.Turns
	return o, err
}

// saved is a folder for checkpoints, and the epochs of its checkpoints.
type saved struct {
	folder string

	mu    sync.Mutex
	calls int // file operations until one fails
	begun int // last epoch before which a save began; -1 for none
	done  int // the same for saves that a rank has seen completed

	resumed bool // a job continued from a checkpoint
}

// errCrash is the error of file operations after a crash.
var errCrash = errors.New("the host has crashed in this world")

// crashing has the folders with counted operations.
var (
	crashing sync.Map // *saved by name
	counting = sync.OnceFunc(func() {
		disk.SetFault(func(_, name string) error {
			if i := strings.Index(name, folderMark); i >= 0 {
				folder, _, _ := strings.Cut(name[i:], string(filepath.Separator))
				if s, is := crashing.Load(folder); is {
					return s.(*saved).call()
				}
			}
			return nil
		})
	})
)

// folderMark is part of the names of worlds' checkpoint folders.
const folderMark = "pebbles-world-"

// call counts a file operation.
func (s *saved) call() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls--; s.calls <= 0 {
		return errCrash
	}
	return nil
}

// newSaved makes a folder, in memory if /dev/shm exists.
func newSaved() (*saved, error) {
	in := "/dev/shm"
	if _, err := os.Stat(in); err != nil {
		in = ""
	}
	folder, err := os.MkdirTemp(in, folderMark)
	return &saved{folder: folder, begun: -1, done: -1}, err
}

// crash makes the given file operation fail, and all after it; 0 is none.
func (s *saved) crash(call int) {
	if s.calls = call; call > 0 {
		counting()
		crashing.Store(filepath.Base(s.folder), s)
	}
}

// heals ends the crash.
func (s *saved) heals() { crashing.Delete(filepath.Base(s.folder)) }

func (s *saved) remove() { _ = os.RemoveAll(s.folder) }

// note records a save before an epoch.
func (s *saved) note(which *int, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*which = max(*which, epoch)
}

// entry is the record of a sender in the log of an epoch.
type entry struct{ Epoch, Sender int }

// kept is the saved state of the program.
type kept struct {
	point *checkpoint.Checkpoint
	next  int                   // epoch
	rows  [][]tally             // by target, of this rank's keys
	sent  uint64                // pebbles sent by main functions of this rank
	log   *container.Bag[entry] // of all completed epochs
	keys  distribution.Indexed  // of the tallies
	in    *saved                // nil: nothing is saved
}

// openCheckpoint describes the state, and restores the newest checkpoint. It returns the next epoch.
func (p *program) openCheckpoint(in *saved) (int, error) {
	if in == nil {
		return 0, nil
	}
	r := p.rank
	p.in, p.keys, p.log = in, p.owners[0].(distribution.Indexed), container.NewBag[entry](r, "log")
	parts := []checkpoint.Part{
		checkpoint.Argument("seed", p.Seed), checkpoint.Value("next", &p.next), checkpoint.Records("log", p.log),
		checkpoint.PerRank("sent", &p.sent, pebble.Sum),
	}
	p.rows = make([][]tally, p.Targets)
	for i := range p.rows {
		p.rows[i] = make([]tally, p.keys.LocalLen(r.ID()))
		parts = append(parts, checkpoint.Slice(fmt.Sprint("target ", i), p.keys, &p.rows[i]))
	}
	p.point = checkpoint.New(r, "world", parts...)
	restored, err := p.point.Restore()
	if err != nil {
		return 0, err
	}
	p.exchange(func(row, at *tally) { *at = *row })
	return p.next, in.fits(restored, p.next)
}

// fits returns an error if the state before an epoch cannot be the state that was saved last.
func (s *saved) fits(restored bool, next int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resumed = restored
	if !restored && s.done < 0 || restored && s.done <= next && next <= s.begun {
		return nil
	}
	return fmt.Errorf("restored is %v, with the state ahead of epoch %d; the last save that ended was ahead of epoch "+
		"%d, and the last one that began ahead of epoch %d", restored, next, s.done, s.begun)
}

// exchange calls do with each tally of this rank's keys and its saved row.
func (p *program) exchange(do func(row, at *tally)) {
	for i, rows := range p.rows {
		for local := range rows {
			do(&rows[local], &p.tallies[i*p.Keys+int(p.keys.Key(p.rank.ID(), local))])
		}
	}
}

// save saves the state before some epochs, on the request of any rank.
func (p *program) save(epoch int) error {
	if p.in == nil {
		return nil
	}
	number := mix(p.Seed, uint64(epoch))
	wanted := mix(number, 30)%100 < uint64(p.Saves)
	if wanted && int(mix(number, 31)%uint64(p.rank.Size())) == p.rank.ID() {
		p.point.Request()
	}
	if due := p.point.Due(); due != wanted {
		return cmp.Or(p.rank.Barrier(), fmt.Errorf("ahead of epoch %d, it is %v on rank %d that a save was asked for, "+
			"and %v that one is due", epoch, wanted, p.rank.ID(), due))
	} else if !due {
		return nil
	}
	p.next = epoch
	p.exchange(func(row, at *tally) { *row = *at })
	p.in.note(&p.in.begun, epoch)
	if err := p.point.Save(); err != nil {
		return err
	}
	p.in.note(&p.in.done, epoch)
	return nil
}

// sender records the pebbles that a main function sends in an epoch.
func (p *program) sender(number, epoch, pebbles int) {
	if p.in != nil {
		p.sent += uint64(pebbles)
		p.log.Add(entry{epoch, number})
	}
}

// compareKept compares the state kept over all epochs with that of the twin.
func (p *program) compareKept(t twin) error {
	if p.in == nil {
		return nil
	}
	all, err := pebble.AllReduce(p.rank, p.sent, pebble.Sum)
	if err != nil {
		return err
	}
	if all != uint64(t.sent) {
		return fmt.Errorf("main functions have sent %d pebbles, not %d", all, t.sent)
	}
	var own []entry
	for e := range p.log.LocalAll() {
		own = append(own, e)
	}
	of, err := pebble.AllGatherSlice(p.rank, own)
	if err != nil {
		return err
	}
	times := map[entry]int{}
	for _, entries := range of {
		for _, e := range entries {
			times[e]++
		}
	}
	for epoch := range p.Epochs {
		for sender := range p.senders {
			if n := times[entry{epoch, sender}]; n != 1 {
				return fmt.Errorf("the log has epoch %d of sender %d %d times instead of once", epoch, sender, n)
			}
		}
	}
	if len(times) != p.Epochs*p.senders {
		return fmt.Errorf("the log has %d entries, not %d", len(times), p.Epochs*p.senders)
	}
	return nil
}
