// Package covering makes covering arrays: few rows of a product of parameters that contain every pair, or triple, of
// values (Cohen, Dalal, Fredman and Patton, The AETG System, IEEE TSE 23, 1997, section 2). Tests use them instead of
// the product: far fewer jobs find a fault that needs two values together.
package covering

// Array returns rows of values, one for each parameter, such that every combination of the values of strength
// parameters that occurs in a valid row of the product occurs in a row of the array. Parameter i has the values 0 to
// levels[i]-1; a nil valid accepts all rows. The same arguments give the same rows. Each row is the one that adds the
// most combinations, and among several the one whose values have occurred least, so that all values occur about
// equally. The cost is rows × product × sets of parameters.
func Array(strength int, levels []int, valid func(row []int) bool) (rows [][]int) {
	var product [][]int
	for row := range Product(levels) {
		if valid == nil || valid(row) {
			product = append(product, append([]int(nil), row...))
		}
	}
	sets := subsets(strength, len(levels))
	missing := make([][]bool, len(sets)) // by set and values
	left := 0
	for i, set := range sets {
		missing[i] = make([]bool, numberOf(levels, set, levels))
		for _, row := range product {
			if m := &missing[i][numberOf(row, set, levels)]; !*m {
				*m = true
				left++
			}
		}
	}
	used := newUses(levels)
	for left > 0 {
		var best []int
		most := 0
		for _, row := range product {
			gain := 0
			for i, set := range sets {
				if missing[i][numberOf(row, set, levels)] {
					gain++
				}
			}
			if gain > most || gain == most && used.of(row) < used.of(best) {
				best, most = row, gain
			}
		}
		used.add(best)
		for i, set := range sets {
			missing[i][numberOf(best, set, levels)] = false
		}
		left -= most
		rows = append(rows, best)
	}
	return rows
}

// uses counts the occurrences of each value of each parameter, times the parameter's number of values: equal shares
// have equal counts.
type uses [][]int

func newUses(levels []int) (u uses) {
	for _, n := range levels {
		u = append(u, make([]int, n))
	}
	return u
}

func (u uses) add(row []int) {
	for i, v := range row {
		u[i][v] += len(u[i])
	}
}

func (u uses) of(row []int) (sum int) {
	for i, v := range row {
		sum += u[i][v]
	}
	return sum
}

// Product yields every row of a product, in lexicographic order. A row is valid until the next one.
func Product(levels []int) func(yield func(row []int) bool) {
	return func(yield func(row []int) bool) {
		row := make([]int, len(levels))
		for {
			if !yield(row) {
				return
			}
			i := len(row) - 1
			for ; i >= 0; i-- {
				if row[i]++; row[i] < levels[i] {
					break
				}
				row[i] = 0
			}
			if i < 0 {
				return
			}
		}
	}
}

// numberOf numbers the values of a row for a set of parameters. The number of levels itself is above all of them.
func numberOf(row, set, levels []int) (n int) {
	for _, i := range set {
		n = n*(levels[i]+1) + row[i]
	}
	return n
}

// subsets returns all sets of strength of n parameters.
func subsets(strength, n int) (all [][]int) {
	if strength == 0 {
		return [][]int{nil}
	}
	for last := strength - 1; last < n; last++ {
		for _, s := range subsets(strength-1, last) {
			all = append(all, append(s, last))
		}
	}
	return all
}
