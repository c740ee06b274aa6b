package dataset

import (
	"errors"
	"os"
	"sync/atomic"

	"github.com/activepebbles/pebbles/pebble"
)

// Agree returns nil if err is nil on all ranks, and otherwise the error of the lowest rank that has one, on every rank.
// It is a collective: after a step that may fail on one rank alone, call it before the next collective. Other ranks
// than that one get the text, without a wrapped error.
func Agree(r *pebble.Rank, err error) error {
	var text []byte
	if err != nil {
		text = []byte(err.Error())
	}
	texts, failed := r.AllGatherBytes(text)
	if failed != nil {
		return failed
	}
	for rank, text := range texts {
		switch {
		case len(text) == 0:
		case rank == r.ID():
			return err
		default:
			return errors.New(string(text))
		}
	}
	return nil
}

var hostOf atomic.Pointer[func(r *pebble.Rank) string] // nil outside of tests

// SetHost installs a function that names the host of a rank; nil removes it. It is for tests in which one machine is
// several hosts.
func SetHost(of func(r *pebble.Rank) string) {
	if of == nil {
		hostOf.Store(nil)
		return
	}
	hostOf.Store(&of)
}

// Host returns the name of a rank's host, by which ranks find the ranks that share their files.
func Host(r *pebble.Rank) string {
	if of := hostOf.Load(); of != nil {
		return (*of)(r)
	}
	name, err := os.Hostname()
	if err != nil {
		return "" // hosts without a name count as one: their files are compared
	}
	return name
}

// A Group has the ranks of one host.
type Group struct {
	Hosts   []string // of all ranks of the job
	Members []int    // ranks of this rank's host, in order
}

// GroupOf gathers the names of hosts. It is a collective.
func GroupOf(r *pebble.Rank, host string) (g Group, err error) {
	if g.Hosts, err = pebble.AllGather(r, host, pebble.Strings{}); err != nil {
		return g, err
	}
	for rank, other := range g.Hosts {
		if other == host {
			g.Members = append(g.Members, rank)
		}
	}
	return g, nil
}

// Leader returns the group's first rank, for work that is done once on each host.
func (g Group) Leader() int { return g.Members[0] }
