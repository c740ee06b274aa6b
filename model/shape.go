package model

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/route"
)

// Shape is what a topology does with one pebble from each rank to each other one.
type Shape struct {
	Topology  string // its name
	Ranks     int
	Neighbors int     // most neighbours of a rank
	Hops      int     // of the longest route
	MeanHops  float64 // over all pairs of different ranks
	Stages    int     // that links have; 0 when they have none
	Exact     bool    // all routes were walked; otherwise those to some ranks
	Mean      []Lanes // of a rank in the mean
	Busiest   []Lanes // of the rank that sends and forwards most
}

// Lanes are links of a rank that carry alike.
type Lanes struct {
	Class   Class
	Count   float64 // links; in the mean over ranks it need not be whole
	Pebbles float64 // that each carries, of one pebble from each rank to each other one
}

const (
	exactRanks     = 512     // up to so many, all routes are walked: 5 to 10 ms
	samples        = 16      // of ranks, where there are more
	askedNeighbors = 1 << 20 // of the ranks that are asked for them, about
)

// Survey counts what a topology does. Up to 512 ranks it is exact and costs a call of Next for each pair of ranks, some
// milliseconds in all. Beyond, it walks the routes to 16 ranks and asks as many for their neighbours as have a million,
// or all. That is exact where ranks are alike, but for how lanes of one class and stage differ. The busiest rank is
// then worked out from smaller jobs of the same topology. The error names what the topology refuses.
func Survey(topology route.Constructor, ranks int, layout Layout) (Shape, error) {
	s, err := newSurvey(topology, ranks, layout)
	if err != nil {
		return Shape{}, err
	}
	if ranks <= exactRanks {
		err = s.exactly()
	} else {
		err = s.bySamples(topology)
	}
	return s.Shape, err
}

// build makes a topology, and turns what its constructor panics with into an error.
func build(topology route.Constructor, ranks int, layout Layout) (t route.Topology, err error) {
	if topology == nil {
		return nil, errors.New("model: there is no topology: give a constructor, such as route.Direct")
	}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case string:
			err = fmt.Errorf("model: %s", why)
		default:
			panic(why)
		}
	}()
	t = topology(ranks)
	if p, ok := t.(route.Placed); ok {
		t = p.Place(layout.firsts(ranks))
	}
	return t, nil
}
