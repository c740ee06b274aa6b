package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// drawn makes both files: customers that are doubled, unknown, without orders, or have most of them.
func drawn(seed uint64) (orders, customers string) {
	random := rand.New(rand.NewPCG(seed, 1))
	var o, c strings.Builder
	o.WriteString("cents,customer,shop\n")
	for range 2000 {
		name := 7
		if random.IntN(2) == 0 {
			name = random.IntN(400)
		}
		fmt.Fprintf(&o, "%d,\"no, %d\",x\n", random.IntN(1000)-500, name)
	}
	c.WriteString("name,country\n")
	for i := range 300 {
		for range 1 + random.IntN(2) {
			fmt.Fprintf(&c, "\"no, %d\",%c\n", i, 'A'+rune(random.IntN(20)))
		}
	}
	return o.String(), c.String()
}

// twin joins and groups by loops over lines.
func twin(orders, customers string) string {
	sums := map[string]int64{}
	for _, o := range strings.Split(strings.TrimSpace(orders), "\n")[1:] {
		var cents int64
		var name int
		fmt.Sscanf(o, "%d,\"no, %d\",x", &cents, &name)
		for _, c := range strings.Split(strings.TrimSpace(customers), "\n")[1:] {
			if country, ok := strings.CutPrefix(c, fmt.Sprintf("\"no, %d\",", name)); ok {
				sums[country] += cents
			}
		}
	}
	var b strings.Builder
	for _, country := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&b, "%s,%d\n", country, sums[country])
	}
	return b.String()
}

// printed returns the output of a job.
func printed(t *testing.T, s appstest.Shape, orders, customers string) (string, error) {
	w := &strings.Builder{}
	err := s.Run(t, func(r *pebble.Rank) error {
		sums := appstest.Must(run(r, orders, customers))
		return show(r, w, sums)
	})
	return w.String(), err
}

func TestSums(t *testing.T) {
	orders, customers := drawn(1)
	want := twin(orders, customers)
	require.Equal(t, 20, strings.Count(want, "\n"))
	ordersFile, customersFile := appstest.Write(t, "o.csv", orders), appstest.Write(t, "c.csv", customers)
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		got, err := printed(t, s, ordersFile, customersFile)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func TestNothingFound(t *testing.T) {
	none := appstest.Write(t, "c.csv", "name,country\n")
	got, err := printed(t, appstest.Mem(3), appstest.Write(t, "o.csv", "customer,cents\na,1\n"), none)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestBadRow(t *testing.T) {
	_, err := printed(t, appstest.Mem(3), appstest.Write(t, "o.csv", "customer,cents\na,1\na,x\n"), "nosuch.csv")
	require.ErrorContains(t, err, "o.csv: line 3")
}
