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

// saving is how the program saves its state, and the job that goes on when the first one has ended or died. The tests
// of package checkpoint kill processes; worlds try that the restored state is that of one moment, on any ranks.
type saving struct {
	Saves   int // percent of the epochs ahead of which the state is saved
	Crash   int // call on a file, counted from 1, from which on all fail, as if the host had gone; 0 is none
	Between int // ranks of a job that goes on, and meets the faults of the first one; 0: there is none
	Again   int // ranks of the job that goes on to the end; 0: nothing is saved
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

// saves draws a world that saves its state.
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

// drawSaving is the world of a seed, which saves its state whatever Draw says.
func drawSaving(seed uint64) World {
	w := Draw(seed)
	if d := (drawn{rand.New(rand.NewPCG(seed, 0x7361766564))}); w.Again == 0 {
		d.saves(&w)
	}
	return w.repaired()
}

// on is the world of a job that goes on with some ranks.
func (w World) on(ranks int) World {
	w.Ranks = ranks
	return w.repaired()
}

// again is the world of the last job, without faults that end it.
func (w World) again() World {
	w.Loss, w.Corrupt, w.Death, w.Freeze, w.Partition = 0, 0, 0, 0, 0
	return w.on(w.Again)
}

// runAgain runs a job, perhaps another one, and a last one, which must come to the end of the twin.
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

// saved is a folder for checkpoints, and the epochs of those in it.
type saved struct {
	folder string

	mu    sync.Mutex
	calls int // on files until one fails
	begun int // the last epoch ahead of which a save was begun; -1 for none
	done  int // and of those that a rank has seen done

	resumed bool // a job has gone on
}

// errCrash is the error of calls on files after a crash.
var errCrash = errors.New("the host has crashed in this world")

// crashing has the folders whose calls are counted.
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

// folderMark is in the names of folders for checkpoints of worlds.
const folderMark = "pebbles-world-"

// call counts a call on a file.
func (s *saved) call() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls--; s.calls <= 0 {
		return errCrash
	}
	return nil
}

// newSaved makes a folder, in memory where there is a file system for that.
func newSaved() (*saved, error) {
	in := "/dev/shm"
	if _, err := os.Stat(in); err != nil {
		in = ""
	}
	folder, err := os.MkdirTemp(in, folderMark)
	return &saved{folder: folder, begun: -1, done: -1}, err
}

// crash lets a call on a file fail, and all after it; 0 is none.
func (s *saved) crash(call int) {
	if s.calls = call; call > 0 {
		counting()
		crashing.Store(filepath.Base(s.folder), s)
	}
}

// heals ends the crash.
func (s *saved) heals() { crashing.Delete(filepath.Base(s.folder)) }

func (s *saved) remove() { _ = os.RemoveAll(s.folder) }

// note notes a save ahead of an epoch.
func (s *saved) note(which *int, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*which = max(*which, epoch)
}

// entry is what a sender leaves in the log in each epoch.
type entry struct{ Epoch, Sender int }

// kept is the state of the program that is saved.
type kept struct {
	point *checkpoint.Checkpoint
	next  int                   // epoch
	rows  [][]tally             // by target, of this rank's keys
	sent  uint64                // pebbles that main functions of this rank have sent
	log   *container.Bag[entry] // of all epochs that are done
	keys  distribution.Indexed  // of the tallies
	in    *saved                // nil: nothing is saved
}

// openCheckpoint describes the state, and restores the newest checkpoint. It returns the epoch that comes next.
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

// fits returns an error when the state ahead of an epoch can't be what was saved last.
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

// exchange gives each tally of this rank's keys, and the row that is saved of it.
func (p *program) exchange(do func(row, at *tally)) {
	for i, rows := range p.rows {
		for local := range rows {
			do(&rows[local], &p.tallies[i*p.Keys+int(p.keys.Key(p.rank.ID(), local))])
		}
	}
}

// save saves the state ahead of some epochs, as any rank asks for it.
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

// sender notes the pebbles that a main function sends in an epoch.
func (p *program) sender(number, epoch, pebbles int) {
	if p.in != nil {
		p.sent += uint64(pebbles)
		p.log.Add(entry{epoch, number})
	}
}

// compareKept compares the state that was kept over all epochs with that of the twin.
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
