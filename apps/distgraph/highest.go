package distgraph

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/pebble"
)

// Score is a vertex and its score, such as its centrality.
type Score struct {
	Vertex Label   `json:"id"`
	Score  float64 `json:"score"`
}

// Highest returns the vertices with the highest scores of all ranks, highest first, and the sum of all scores. scores
// are those of this rank's vertices, in the order of the graph's source. Vertices of equal scores are in the order of
// the source. The last digits of the sum depend on the number of ranks. All ranks call it.
func (g *Graph) Highest(scores []float64) (top []Score, sum float64, err error) {
	type place struct {
		number uint64
		score  float64
	}
	higher := func(a, b place) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.number, b.number)) }
	own := NewFirst(higher)
	for i, score := range scores {
		sum += score
		own.Offer(place{g.First + uint64(i), score})
	}
	if sum, err = pebble.AllReduce(g.Rank, sum, pebble.Sum); err != nil {
		return nil, 0, err
	}
	best, err := own.Gather(g.Rank)
	if err != nil {
		return nil, 0, err
	}
	var numbers []uint64
	for _, p := range best {
		numbers = append(numbers, p.number)
	}
	labels, err := g.LabelsOf(numbers)
	for i, p := range best {
		if err == nil {
			top = append(top, Score{labels.At(i), p.score})
		}
	}
	return top, sum, err
}

// ScoreRows returns labels and values of some vertices and their scores for display.
func ScoreRows(label string, top []Score) (rows [][2]string) {
	for _, s := range top {
		rows = append(rows, [2]string{label, fmt.Sprintf("vertex %v: %.6g", s.Vertex, s.Score)})
		label = ""
	}
	return rows
}
