package termination

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// kind is a detector of this package.
type kind struct {
	name string
	make Maker
	// messages returns the minimum number of messages per epoch of the rank that sends most. It may stop counting at
	// enough, and return any number not below it.
	messages func(s Site, enough int) (int, error)
}

// kinds are in Auto's order of preference.
var kinds = []kind{
	{"nbx", NBX, nbxMessages},
	{"skr", SKR, skrMessages},
	{"ordered", Ordered, orderedMessages},
	{"pcx", PCX, pcxMessages},
	{"pcx-neighbors", Neighbors, neighborsMessages},
}

const auto = "auto"

// ByName returns the detector with a name, as in flags.
func ByName(name string) (Maker, error) {
	if name == auto {
		return Auto, nil
	}
	k, err := kindOf(name)
	return k.make, err
}

// Names returns the names that [ByName] accepts, sorted.
func Names() []string {
	names := []string{auto}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

// Messages returns the number of messages per epoch of the rank that sends most of them, under the named detector. The
// number is exact, but for skr it is a lower bound. It is equal on all ranks of a site. The error is that of the
// detector's [Maker]. If neighbours count, it costs a call of Neighbors for every rank.
func Messages(name string, s Site) (int, error) {
	if name == auto {
		_, n, err := best(s)
		return n, err
	}
	k, err := kindOf(name)
	if err != nil {
		return 0, err
	}
	return k.messages(s, math.MaxInt)
}

func kindOf(name string) (kind, error) {
	for _, k := range kinds {
		if k.name == name {
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("termination: unknown detector %q: use one of %s", name, strings.Join(Names(), ", "))
}
