package uts

import (
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/task"
)

// Mode is what searches a tree in memory.
type Mode string

const (
	ByTasks   Mode = "tasks"   // tasks, which read vertices through delegates and move to ranks without work
	ByPebbles Mode = "pebbles" // pebbles, which visit vertices where they are
)

// Modes lists the modes, the default first.
var Modes = []Mode{ByTasks, ByPebbles}

// Config is what a run of UTS can be told. The zero value searches T1 with all defaults.
type Config struct {
	// Tree is the tree. The zero value is T1.
	Tree Tree
	// InMemory builds the tree in the memory of all ranks, 8 bytes a vertex, and then searches it there; building is not
	// timed.
	InMemory bool
	// Mode is what searches in memory. "" is ByTasks.
	Mode Mode
	// Batch is how many nodes a task searches at most, about, before it hands on what it has found, or in memory how many
	// vertices it reads at once. 0 is 1,024, or 64 in memory; 1 in memory is Grappa's way.
	Batch int
	// Workers is how many tasks of a rank may wait at a time. 0 is the default of package task.
	Workers int
	// Linger is for how long a rank without work holds buffers back (task.Linger).
	Linger time.Duration
	// Progress, when not nil, is called on rank 0 now and then with the number of nodes that rank 0 has searched, and
	// those of the tree.
	Progress func(done, total uint64)
}

const (
	nodesDefault    = 1024 // of a task: some 60 µs, which a rank that asks for tasks has to wait
	verticesDefault = 64
	batchMost       = 1 << 20
	workersMost     = 1 << 24
)

func (c Config) withDefaults() Config {
	if c.Tree == (Tree{}) {
		c.Tree = samples[0].Tree
	}
	if c.Mode == "" {
		c.Mode = ByTasks
	}
	if c.Batch == 0 {
		c.Batch = nodesDefault
		if c.InMemory {
			c.Batch = verticesDefault
		}
	}
	return c
}

// Check returns an error that says what is wrong with c.
func (c Config) Check() error {
	c = c.withDefaults()
	switch {
	case c.Mode != ByTasks && c.Mode != ByPebbles:
		return fmt.Errorf("uts: there is no mode %q: use %s or %s", c.Mode, ByTasks, ByPebbles)
	case c.Mode == ByPebbles && !c.InMemory:
		return fmt.Errorf("uts: mode %s is for trees in memory", ByPebbles)
	case c.Batch < 1 || c.Batch > batchMost:
		return fmt.Errorf("uts: tasks of %d nodes: give 1 to %d", c.Batch, batchMost)
	case c.Workers < 0 || c.Workers > workersMost:
		return fmt.Errorf("uts: %d workers: give 1 to %d, or 0 for the default", c.Workers, workersMost)
	case c.Linger < 0:
		return fmt.Errorf("uts: a linger of %v: give no time below 0", c.Linger)
	}
	return c.Tree.check()
}

// WorkersDefault is how many tasks of a rank may wait at a time when nobody says.
const WorkersDefault = task.WorkersDefault
