package sim

import (
	"fmt"
	"math"
)

// Fabric is the network between hosts: switches and cables. A cable carries one frame at a time in each direction. The
// zero value connects all hosts without contention.
//
//   - "fat-tree": levels of switches with Radix ports, half of them upwards (Leiserson 1985), so each switch of the
//     lowest level has Radix/2 hosts. A frame climbs to the lowest level that has its receiver below it, and goes down
//     again. The frame's ends select one of several ways up.
//   - "torus": one switch per host in a grid of three dimensions, as equal as possible, whose ends meet. A frame goes
//     along one dimension after another, the shorter way round.
//   - "dragonfly": groups of Radix switches, each with Radix/2 hosts (Kim, Dally, Scott and Abts 2008). Each switch is
//     connected with all others of its group, and each group by one cable with each other group. A frame takes the
//     shortest way, over at most one cable between groups.
type Fabric struct {
	Kind  string `json:"kind,omitempty"`
	Radix int    `json:"radix,omitempty"` // 0 is 16; unused by a torus
	// Hop is the time that each switch after the first adds, in seconds. The first switch is part of the network's L.
	Hop float64 `json:"hop,omitempty"`
}

const radixDefault = 16

func (f Fabric) check() error {
	switch {
	case f.Kind != "" && f.Kind != "fat-tree" && f.Kind != "torus" && f.Kind != "dragonfly":
		return fmt.Errorf("sim: network: unknown fabric %q: use fat-tree, torus, dragonfly, or none", f.Kind)
	case f.Radix < 0 || f.Radix == 1 || f.Radix > 1<<12:
		return fmt.Errorf("sim: network: a fabric of radix %d: a switch has 2 to 4096 ports, or 0 for %d",
			f.Radix, radixDefault)
	case !(f.Hop >= 0 && f.Hop <= spanMax):
		return fmt.Errorf("sim: network: a hop of the fabric takes %v: times are seconds, from 0 to %d", f.Hop, spanMax)
	}
	return nil
}

// cable is one direction of a cable, identified by its ends as its fabric numbers them.
type cable struct{ level, from, to int }

// fabric is the state of a Fabric.
type fabric struct {
	path  func(from, to int, over func(cable))
	hop   instant
	gates map[cable]*gate
}

// newFabric makes the fabric for the given number of hosts, or returns nil for one without contention.
func newFabric(f Fabric, hosts int) *fabric {
	radix := f.Radix
	if radix == 0 {
		radix = radixDefault
	}
	made := &fabric{hop: span(f.Hop), gates: map[cable]*gate{}}
	switch f.Kind {
	case "fat-tree":
		made.path = fatTree(max(1, radix/2))
	case "torus":
		made.path = torus(hosts)
	case "dragonfly":
		made.path = dragonfly(radix, max(1, radix/2))
	default:
		return nil
	}
	return made
}

// cross sends a frame over the cables between two hosts, and returns the time at which its head has passed the last
// one. Each cable is occupied for the time of the frame's bytes, while the frame's head continues (cut-through).
func (f *fabric) cross(from, to int, at instant, wire instant) instant {
	first := true
	f.path(from, to, func(c cable) {
		g := f.gates[c]
		if g == nil {
			g = &gate{}
			f.gates[c] = g
		}
		at = g.enter(at, wire)
		if !first {
			at += f.hop
		}
		first = false
	})
	return at
}

// fatTree numbers the switches of a level by the hosts below them. The receiver's number selects the way up, so that
// frames to one host contend only on the way down.
func fatTree(down int) func(from, to int, over func(cable)) {
	return func(from, to int, over func(cable)) {
		top, below := 1, down
		for ; from/below != to/below; top++ {
			below *= down
		}
		for level, size := 1, down; level < top; level, size = level+1, size*down {
			over(cable{level, from / size, to % size})
		}
		for level, size := top-1, below/down; level >= 1; level, size = level-1, size/down {
			over(cable{-level, to % size, to / size})
		}
	}
}

// torus numbers switches by hosts.
func torus(hosts int) func(from, to int, over func(cable)) {
	x := max(1, int(math.Round(math.Cbrt(float64(hosts)))))
	y := max(1, int(math.Round(math.Sqrt(float64(hosts)/float64(x)))))
	z := (hosts + x*y - 1) / (x * y)
	sizes := [3]int{x, y, z}
	return func(from, to int, over func(cable)) {
		at, stride := from, 1
		for axis, size := range sizes {
			a, b := at/stride%size, to/stride%size
			step := 1
			if (b-a+size)%size > size/2 {
				step = size - 1
			}
			for a != b {
				next := (a + step) % size
				there := at + (next-a)*stride
				over(cable{axis, at, there})
				at, a = there, next
			}
			stride *= size
		}
	}
}

// dragonfly numbers switches across all groups. The number of the other group selects the switch at the end of a cable
// between two groups.
func dragonfly(switches, hosts int) func(from, to int, over func(cable)) {
	return func(from, to int, over func(cable)) {
		a, b := from/hosts, to/hosts
		if a == b {
			return
		}
		groupA, groupB := a/switches, b/switches
		if groupA == groupB {
			over(cable{0, a, b})
			return
		}
		exit, entry := groupA*switches+groupB%switches, groupB*switches+groupA%switches
		if a != exit {
			over(cable{0, a, exit})
		}
		over(cable{1, groupA, groupB})
		if entry != b {
			over(cable{0, entry, b})
		}
	}
}
