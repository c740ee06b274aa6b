package worlds

import (
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// spare returns links and ranks that may be marked together and leave a path from each rank to every other: all except
// those of two trees, from rank 0 to all ranks and from all ranks to rank 0.
func spare(t route.Topology) (all []route.Mark) {
	links, ranks := map[[2]int]bool{}, map[int]bool{}
	next, back := make([][]int, t.Ranks()), make([][]int, t.Ranks())
	for rank := range next {
		next[rank] = t.Neighbors(rank)
		for _, n := range next[rank] {
			back[n] = append(back[n], rank)
		}
	}
	for _, neighbors := range [][][]int{next, back} {
		seen, found := map[int]bool{0: true}, []int{0}
		for i := 0; i < len(found); i++ {
			for _, n := range neighbors[found[i]] {
				if !seen[n] {
					seen[n], ranks[found[i]], links[between(found[i], n)] = true, true, true
					found = append(found, n)
				}
			}
		}
	}
	for rank := range next {
		for _, n := range next[rank] {
			if !links[between(rank, n)] {
				all = append(all, route.Mark{From: rank, To: n})
			}
		}
		if !ranks[rank] {
			all = append(all, route.Mark{From: rank, To: -1})
		}
	}
	return all
}

func between(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// mark adds or removes a mark in spare, with the given probability. number determines both choices.
func mark(r *pebble.Rank, spare []route.Mark, permille int, number uint64) {
	if len(spare) == 0 || mix(number, 10)%1000 >= uint64(permille) {
		return
	}
	m := spare[mix(number, 11)%uint64(len(spare))]
	if down := mix(number, 12)%2 == 0; m.To < 0 {
		r.MarkRank(m.From, down)
	} else {
		r.MarkLink(m.From, m.To, down)
	}
}
