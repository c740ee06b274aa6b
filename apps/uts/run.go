package uts

import (
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Run runs UTS on a job. Every rank calls it once, between epochs, with the same configuration but for Progress, and
// has no other tasks. The result is complete on every rank. It is compared with the answer that the benchmark tells for
// its trees, and for others with that of a serial search on rank 0, which comes first. What is wrong is counted in its
// Errors; an error means that the job failed, or can't work.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(); err != nil {
		return Result{}, err
	}
	b := newBench(r, c.withDefaults())
	report := apps.NewReport(r, "uts", uint64(b.config.Tree.Seed))
	report.Cache = 0
	result := Result{
		Report: report, Tree: b.config.Tree.Name, TreeDepth: b.config.Tree.Depth,
		InMemory: c.InMemory, Mode: b.config.Mode, Batch: b.config.Batch,
	}
	var err error
	if result.SetUp, err = apps.Timed(r, b.prepare); err != nil {
		return result, err
	}
	before := b.tasks.Counts()
	if err := result.Kernel(r, b.kernel); err != nil {
		return result, err
	}
	if err := result.counted(r, before, b.tasks.Counts()); err != nil {
		return result, err
	}
	if err := result.judge(r, b.found, b.want); err != nil {
		return result, err
	}
	if b.tally != nil {
		return result, result.Finish(r, *b.tally)
	}
	return result, result.FinishCounted(r)
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	tasks  *task.Scheduler
	want   Answer
	found  Answer // by this rank, in the kernel
	kernel func() error
	tally  *apps.Tally // of the kernel's pebbles, when these are the application's own
}

func newBench(r *pebble.Rank, c Config) *bench {
	options := []task.Option{task.Linger(c.Linger)}
	if c.Workers > 0 {
		options = append(options, task.Workers(c.Workers))
	}
	return &bench{rank: r, config: c, tasks: task.New(r, options...)}
}

// prepare finds out what the answer is, and builds the tree in memory when it is to be searched there.
func (b *bench) prepare() (err error) {
	if b.want, err = b.answer(); err != nil {
		return err
	}
	s := newSearch(b.rank, b.tasks, b.config)
	if !b.config.InMemory {
		b.kernel = func() error { b.found, err = s.run(b.progress()); return err }
		return nil
	}
	m, err := b.build(s)
	if err != nil {
		return err
	}
	b.want.Sum = m.vertices * (m.vertices - 1) / 2
	if b.config.Mode == ByPebbles {
		b.kernel = m.byPebbles(b)
	} else {
		b.kernel = m.byTasks(b)
	}
	return nil
}

// answer is what the search must find.
func (b *bench) answer() (want Answer, err error) {
	if want, known := b.config.Tree.known(); known {
		return want, nil
	}
	if b.rank.ID() == 0 {
		if want, err = Serial(b.config.Tree); err != nil {
			return want, err
		}
	}
	return pebble.Broadcast(b.rank, 0, want)
}

const progressEvery = 1 << 16 // nodes that rank 0 finds between two words of progress

// progress returns what is told how many nodes this rank has found.
func (b *bench) progress() func(nodes uint64) {
	if b.config.Progress == nil || b.rank.ID() > 0 {
		return func(uint64) {}
	}
	told := uint64(0)
	return func(nodes uint64) {
		if nodes/progressEvery != told/progressEvery {
			told = nodes
			b.config.Progress(nodes, b.want.Nodes)
		}
	}
}

// search is the search of a tree that is made as it is searched.
type search struct {
	rank   *pebble.Rank
	tasks  *task.Scheduler
	config Config
	walker *walker
	kind   *task.Kind[node]
	told   func(nodes uint64)
}

// beginWith is how many nodes a task begins with at most. More would leave none for others where there are few.
const beginWith = 4

// perNode is what a node costs in simulated time: its hash, as measured.
const perNode = 65 * time.Nanosecond

func newSearch(r *pebble.Rank, tasks *task.Scheduler, c Config) *search {
	s := &search{rank: r, tasks: tasks, config: c, walker: newWalker(c.Tree)}
	s.kind = task.NewKindBatch(tasks, "search", beginWith, s.visit)
	return s
}

// run searches the tree with all ranks, in one epoch, and returns what this one has found.
func (s *search) run(told func(nodes uint64)) (Answer, error) {
	s.told = told
	err := onFirst(s.tasks, func() {
		s.walker.root(s.config.Tree)
		s.visit(nil)
	})
	return s.walker.found, err
}

// onFirst is an epoch whose first task, on rank 0, is root.
func onFirst(s *task.Scheduler, root func()) error {
	if s.Rank().ID() > 0 {
		root = nil
	}
	return s.Run(root)
}

// visit is a task: it searches below some nodes for a while, and hands on what is left, the oldest first, as these have
// most below them.
func (s *search) visit(ns []node) {
	w := s.walker
	w.stack = append(w.stack, ns...)
	before := w.found.Nodes
	w.search(uint64(s.config.Batch))
	for _, n := range w.stack {
		s.kind.Spawn(n)
	}
	w.stack = w.stack[:0]
	s.rank.Compute(time.Duration(w.found.Nodes-before) * perNode)
	s.told(w.found.Nodes)
}
