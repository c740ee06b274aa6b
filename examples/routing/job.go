package main

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// job has the parameters of the costs.
type job struct{ ranks, procs, bytes, coalesce, credits int }

func (j job) check() error {
	if j.ranks < 2 || j.procs < 1 || j.procs > j.ranks {
		return fmt.Errorf("%d ranks in %d processes: give at least 2 ranks, and each process one", j.ranks, j.procs)
	}
	if j.bytes < 1 || j.coalesce < 1 || j.credits < 1 {
		return errors.New("give at least 1 byte, 1 pebble and 1 credit")
	}
	return nil
}

// names are the topologies in the tables. Each suits any number of ranks.
var names = []string{"direct", "mesh:2", "mesh:3", "hypercube", "tree", "two-stage", "three-stage", "ring"}

// topology makes one of them for the job, and places it if it depends on the processes of ranks.
func (j job) topology(name string) (route.Topology, error) {
	constructor, err := route.ByName(name)
	if err != nil {
		return nil, err
	}
	return route.PlaceOn(constructor(j.ranks), netio.PlaceOf(j.ranks, j.procs, 0)), nil
}
