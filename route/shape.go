package route

import "fmt"

// Shape is the result of [Check] on a topology, or of [CheckFrom] on the routes from one rank.
type Shape struct {
	Ranks        int
	Diameter     int     // hops on the longest route
	NeighborsMax int     // most neighbours of one rank
	MeanHops     float64 // over all ordered pairs of different ranks
	Links        int     // neighbours of all ranks together; with stages, also the frames of an all-to-all
	Stages       int     // stages of links; 0 if the topology is not [Staged]
}

// String formats the shape for people.
func (s Shape) String() string {
	text := fmt.Sprintf("%d ranks, %d links, at most %d neighbours; %.2f hops in the mean, at most %d",
		s.Ranks, s.Links, s.NeighborsMax, s.MeanHops, s.Diameter)
	if s.Stages == 0 {
		return text + "; no stages"
	}
	return fmt.Sprintf("%s; stages: %d", text, s.Stages)
}
