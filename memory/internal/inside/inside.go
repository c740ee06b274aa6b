// Package inside is what package memory/pages has of package memory that programs don't see.
package inside

import (
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/task"
)

// Package memory sets these when it is initialized.
var (
	// SpaceOf is the inner part of a *memory.Space.
	SpaceOf func(space any) Space
	// SitesOf tells where the parts of all ranks of a *memory.Array are. All ranks call it; each process tells its
	// address once.
	SitesOf func(array any) []Site
)

// Space is the inner part of a space.
type Space interface {
	// Engine is the engine's part of the rank.
	Engine() *engine.Rank
	// OneSided is the rank's access to exposed memory.
	OneSided() netio.OneSided
	// Caller is the task that calls, or none for the main function; it ends the job in handlers, and for other goroutines.
	Caller(call string) Caller

	// Begin takes an operation. name is what its errors are about.
	Begin(name string) Operation
	// End waits until what was begun is done, and ends the job when it has failed. A task lets other tasks run meanwhile,
	// and the main function in an epoch's body handles what arrives; between epochs it handles nothing.
	End(call string, o Operation)
	// Await is End for an operation that goes on to be used, until it is given to End.
	Await(call string, o Operation)
	// AwaitOthers is End for what the programs of other ranks do, if they do: this rank counts as being at rest, so that
	// the end of an epoch finds what is waited for in vain.
	AwaitOthers(call string, o Operation)

	// Misuse ends the job: a call was wrong.
	Misuse(format string, args ...any)
	// Lacks ends the job: an object has no such elements.
	Lacks(call, of, format string, args ...any)
}

// Caller is who calls: a task, or the main function where it is none.
type Caller struct {
	Task   task.Task
	IsTask bool
}

// Operation is operations that somebody waits for: those that were begun with its completion.
type Operation struct {
	Completion *netio.Completion
	Wait       any // memory's
}

// Site is where the part of a rank is.
type Site struct {
	At   netio.Address
	Near []byte // all of it, when it is this process's or mapped from this host
}
