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
	// messages is what an epoch costs the rank that sends most, at the least. When that is enough or more, any number that is
	// so will do.
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

// ByName finds a detector by the word that flags use.
func ByName(name string) (Maker, error) {
	if name == auto {
		return Auto, nil
	}
	k, err := kindOf(name)
	return k.make, err
}

// Names lists the words that [ByName] knows, in order.
func Names() []string {
	names := []string{auto}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

// Messages is how many messages of the named detector an epoch costs the rank that sends most of them: all that it will
// cost, but for skr, which costs so many at the least. It is the same for all ranks of a site. The error is the one that
// the detector's [Maker] would give. It costs a look at the neighbours of all ranks where they count.
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
