//go:build long

package appstest

import (
	"slices"

	"github.com/activepebbles/pebbles/internal/covering"
)

const Long = true

var transports = []string{"mem", "sim", "shm", "tcp"}

// rows returns two products: transports × ranks × three topologies × factors × cache sizes; and transports × 3 and 8
// ranks × all topologies × detectors. The other parameters take turns through them.
func rows(_ int, levels []int, valid func(row []int) bool) (all [][]int) {
	for row := range covering.Product(levels) {
		ranks, topology, factor, cache, credit, detector := row[1], row[2], row[3], row[4], row[5], row[6]
		if transports[row[0]] == "shm" && rankCounts[ranks] == 1 {
			continue // no other rank to share memory with
		}
		isFirst := topology < 3 && detector == 0
		isSecond := (rankCounts[ranks] == 3 || rankCounts[ranks] == 8) && cache == (ranks+topology+detector)%levels[4] &&
			factor == (topology+detector)%levels[3]
		if (isFirst || isSecond) && credit == (ranks+topology+factor+cache+detector)%levels[5] && valid(row) {
			all = append(all, slices.Clone(row))
		}
	}
	return all
}
