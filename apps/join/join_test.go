package join

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// odd has sizes with rare and frequent keys, a single key, and keys on one side only.
var odd = map[string]Config{
	"usual":           {Left: 2000, Right: 500},
	"few right rows":  {Left: 3000, Right: 10, Keys: 40},
	"few left rows":   {Left: 10, Right: 1000},
	"one of each":     {Left: 1, Right: 1, Keys: 1},
	"all keys equal":  {Left: 100, Right: 70, Keys: 1},
	"many keys":       {Left: 1000, Right: 1000, Keys: 1 << 16},
	"frequent keys":   {Left: 3000, Right: 300, Zipf: 1},
	"a frequent key":  {Left: 3000, Right: 300, Zipf: 2.5},
	"spilled":         {Left: 3000, Right: 3000, Keys: 900, Space: container.Budget{Memory: 4096}},
	"spilled, skewed": {Left: 2000, Right: 1500, Keys: 300, Zipf: 1.3, Space: container.Budget{Memory: 4096}},
}

// Results equal those of the serial twin, on all transports and for every kind.
func TestEverywhere(t *testing.T) {
	seed := seeds.Of(t)
	turn := 0
	for name, c := range odd {
		for _, kind := range Kinds {
			if turn++; name != "usual" && name != "spilled" && turn%len(Kinds) != 0 {
				continue // one kind for each of the others, in turn
			}
			c.Kind, c.Seed = kind, seed
			want := Serial(c)
			t.Run(name+", "+string(kind), func(t *testing.T) {
				appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, got Result) {
					require.Zero(t, got.Errors, got.Wrong)
					require.Equal(t, want.Results, got.Results)
					require.True(t, got.Twin)
					require.Equal(t, c.Space.Memory > 0, got.SpilledBytes > 0)
				})
			})
		}
		turn++
	}
}

// Both checks agree, for any distribution of keys over ranks.
func TestByKeysIsTheSerialTwin(t *testing.T) {
	seed := seeds.Of(t)
	for name, c := range odd {
		for _, kind := range Kinds {
			c.Kind, c.Seed = kind, seed
			c := c.complete()
			half := c.Keys / 2
			got := c.byKeys(0, half).add(c.byKeys(half, c.Keys-half))
			require.Equal(t, Serial(c), got, "%s, %s", name, kind)
		}
	}
}

// Left and anti joins together give the results of inner and semi joins and all left rows.
func TestKindsAddUp(t *testing.T) {
	of := func(kind Kind) Answer {
		return Serial(Config{Left: 5000, Right: 1000, Kind: kind, Common: apps.Common{Seed: 3}})
	}
	require.EqualValues(t, 5000, of(Semi).Results+of(Anti).Results)
	require.Equal(t, of(Left), of(Inner).add(of(Anti)))
}

// Keys follow their distribution.
func TestZipf(t *testing.T) {
	for _, exponent := range []float64{0, 0.5, 1, 2} {
		c := Config{Keys: 100, Zipf: exponent, Common: apps.Common{Seed: 7}}
		counts := make([]float64, c.Keys)
		const n = 200_000
		for i := range uint64(n) {
			counts[c.leftRow(i).Key]++
		}
		// Key k represents the numbers from k+1 to k+2 of the continuous law.
		want := integral(exponent, 1, 2) / integral(exponent, 2, 3)
		require.InEpsilon(t, want, counts[0]/counts[1], 0.1, "exponent %v", exponent)
	}
}

func integral(exponent, from, to float64) float64 {
	if exponent == 1 {
		return math.Log(to / from)
	}
	e := 1 - exponent
	return (math.Pow(to, e) - math.Pow(from, e)) / e
}

// Mistakes in an answer are found.
func TestEachRule(t *testing.T) {
	for says, spoil := range map[string]func(a *Answer){
		"3 results are wrong":      func(a *Answer) { a.Results += 3 },
		"1 checksum went wrong":    func(a *Answer) { a.Sum++ },
		"those of the serial twin": func(a *Answer) { a.Sum-- },
	} {
		require.NoError(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			j := newJoiner(r, Config{Left: 100, Right: 50}.complete())
			j.all = Serial(j.config)
			spoil(&j.all)
			result := Result{Twin: true}
			err := j.verify(&result)
			require.Positive(t, result.Errors)
			require.Contains(t, result.Wrong[0]+result.Wrong[1], says)
			return err
		}))
	}
}

func TestMistakes(t *testing.T) {
	for says, c := range map[string]Config{
		"rows: give 17592186044416 at most": {Left: 1 << 45},
		"keys: give 1099511627776 at most":  {Keys: 1 << 41},
		"an exponent of -1":                 {Zipf: -1},
		"an exponent of NaN":                {Zipf: math.NaN()},
		`no kind "outer": use one of inner`: {Kind: "outer"},
		"rows have -5 bytes of memory":      {Space: container.Budget{Memory: -5}},
		"give fewer keys":                   {Left: 1, Right: 1, Keys: 1 << 40},
		"name a writable folder": {Left: 5000, Right: 5000, Space: container.Budget{Memory: 4096,
			Scratch: "/nosuch"}},
	} {
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
}
