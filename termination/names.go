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
	// messages is what an epoch costs the rank that sends most, at the least. When that is enough or more, any number that
	// is so will do.
	messages func(s Site, enough int) (int, error)
}

// kinds are in the order in which Auto prefers them.
var kinds = []kind{
	{"nbx", NBX, nbxMessages},
	{"skr", SKR, skrMessages},
	{"ordered", Ordered, orderedMessages},
	{"pcx", PCX, pcxMessages},
	{"pcx-neighbors", Neighbors, neighborsMessages},
}

const auto = "auto"

// ByName finds a detector by the name that flags use.
func ByName(name string) (Maker, error) {
	if name == auto {
		return Auto, nil
	}
	k, err := kindOf(name)
	return k.make, err
}

// Names lists the names that [ByName] knows, in order.
func Names() []string {
	names := []string{auto}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

// Messages is how many messages of the named detector an epoch costs the rank that sends most of them: the exact
// number, but for skr, whose number is a lower bound. It is the same for all ranks of a site. The error is the one that
// the detector's [Maker] would give. Where neighbours count, it costs a call of Neighbors for every rank.
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
