package main

import (
	"math/bits"

	"github.com/activepebbles/pebbles/route"
)

const clearingName = "clearing"

// clearing is a hypercube whose routes first clear all bits that the destination lacks, and then set the others:
// pebbles between ranks without a common bit pass rank 0. It shows the cost of a busy rank.
type clearing struct{ route.Topology }

func (clearing) Name() string { return clearingName }

func (clearing) Next(at, dest int) int {
	if lacking := uint(at &^ dest); lacking != 0 {
		return at ^ 1<<(bits.Len(lacking)-1)
	}
	setting := dest &^ at
	return at ^ setting&-setting
}

// Hops implements route.Bounded.
func (c clearing) Hops() int {
	hops, _ := route.Hops(c.Topology)
	return hops
}
