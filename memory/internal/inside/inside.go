// Package inside is the part of package memory that package memory/pages uses and programs don't see.
package inside

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/task"
)

// Space is the inner part of a memory.Space. Its methods are for the goroutine of its rank.
type Space interface {
	// Engine is the engine's part of the rank.
	Engine() *engine.Rank
	// OneSided is the rank's access to exposed memory.
	OneSided() netio.OneSided
	// Caller is the calling task, or none for the main function. It ends the job in handlers and on other goroutines.
	Caller(call string) Caller
	// Begin starts an operation. Its errors carry name.
	Begin(name string) Operation
	// NewLock allocates a lock at a rank, with a record of the given number of words. All ranks call it, between
	// epochs. A strict lock must be released before the end of the epoch.
	NewLock(name string, rank, words int, strict bool) *Lock
	// ClaimPages reports whether this is its first call: a rank has one space of pages.
	ClaimPages() bool

	// Misuse ends the job for a wrong call.
	Misuse(format string, args ...any)
	// Lacks ends the job: an object has no such elements.
	Lacks(call, of, format string, args ...any)
}

// Operation is one or several operations with one completion.
type Operation interface {
	Completion() *netio.Completion
	// End waits until the operations are done, and ends the job if one has failed. A task lets other tasks run
	// meanwhile, and the main function in an epoch's body runs handlers; between epochs it runs none.
	End(call string)
	// Await is End for an operation that is used again before End.
	Await(call string)
	// AwaitOthers is End for an event that depends on the programs of other ranks. This rank counts as being at rest,
	// so that the end of the epoch finds a wait that can't end.
	AwaitOthers(call string)
}

// Caller is a task, or the main function if IsTask is false.
type Caller struct {
	Task   task.Task
	IsTask bool
}

// Site locates one rank's part of an array.
type Site struct {
	At   netio.Address
	Near []byte // whole part, if it belongs to this process or is mapped from this host
}
