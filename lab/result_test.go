package lab

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/internal/machine"
	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
)

// made returns a result with the given samples.
func made(name, against string, values ...float64) *Result {
	r := &Result{Case: Case{Name: name, Field: "f", Unit: "M/s", Against: against, Line: "run " + name}}
	for _, v := range values {
		r.Samples = append(r.Samples, Sample{Value: v, State: Near})
	}
	return r
}

func results(all ...*Result) Results {
	return Results{Format: Format, Repeats: 3, Command: "pebbles-lab bench",
		Date:   time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Groups: []GroupResult{{Name: "G", About: "About G.", Results: all}}}
}

func TestSummary(t *testing.T) {
	require.Equal(t, Summary{Median: 3, Min: 1, Max: 100, Spread: 1}, Summarize([]float64{100, 2, 3, 4, 1}))
	require.Equal(t, Summary{Median: 2.5, Min: 1, Max: 4, Spread: 1}, Summarize([]float64{4, 1, 3, 2}))
	require.Equal(t, Summary{Median: 7, Min: 7, Max: 7}, Summarize([]float64{7}))
	require.Zero(t, Summarize(nil))
}

// TestSummaryOfAnything requires that equal numbers of samples are below and above the median, and that half of the
// distances are within the spread.
func TestSummaryOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 20).Draw(t, "values")
		s := Summarize(values)
		below, above, within, beyond := 0, 0, 0, 0
		for _, v := range values {
			if v < s.Median {
				below++
			}
			if v > s.Median {
				above++
			}
			if math.Abs(v-s.Median) < s.Spread {
				within++
			}
			if math.Abs(v-s.Median) > s.Spread {
				beyond++
			}
			require.LessOrEqual(t, s.Min, v)
			require.GreaterOrEqual(t, s.Max, v)
		}
		for _, part := range []int{below, above, within, beyond} {
			require.LessOrEqual(t, part, len(values)/2)
		}
	})
}

// TestRatios requires ratios of speeds, of runs of the same repeat: a half stays a half while the machine drifts.
func TestRatios(t *testing.T) {
	base, half := made("base", "", 10, 40, 20), made("half", "base", 5, 20, 10)
	g := results(base, half).Groups[0]
	require.Equal(t, []float64{0.5, 0.5, 0.5}, g.Ratios(half))
	require.Nil(t, g.Ratios(base))
	base.Lower, half.Lower = true, true
	require.Equal(t, []float64{2, 2, 2}, g.Ratios(half), "half the time is twice the speed")
	half.Samples = half.Samples[:2]
	require.Nil(t, g.Ratios(half))
	require.True(t, Case{Name: "limit-copy"}.Limit())
	require.False(t, base.Limit())
}

func TestStates(t *testing.T) {
	require.Equal(t, Near, stateOf(55, 60))
	require.Equal(t, Far, stateOf(330, 310))
	require.Equal(t, Mixed, stateOf(330, 60))
	require.Equal(t, Mixed, stateOf(60, 330))
	require.Equal(t, Unknown, stateOf(0, 60))
	require.Equal(t, Unknown, stateOf(60, 0))
	r := made("a", "", 1, 2, 3)
	require.Equal(t, Near, r.State())
	r.Samples[2].State = Far
	require.Equal(t, Mixed, r.State())
	require.Equal(t, Unknown, (&Result{}).State())
}

func TestFile(t *testing.T) {
	r, err := once(t, prints(t, "a",
		`{"errors": 0, "rate": 2, "checksum": "c", "counters": {"sent": 18446744073709551615}}`))
	require.NoError(t, err)
	r.Groups[0].Results[0].Line = "pebbles a"
	file := filepath.Join(t.TempDir(), "r.json")
	require.NoError(t, r.Write(file))
	back, err := Read(file)
	require.NoError(t, err)
	again := filepath.Join(t.TempDir(), "r.json")
	require.NoError(t, back.Write(again))
	first, err := os.ReadFile(file)
	require.NoError(t, err)
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
	require.Equal(t, r.Find("a").Summary(), back.Find("a").Summary())
	require.Equal(t, r.Machine, back.Machine)
	require.Equal(t, "c", back.Find("a").Sum)
	require.NotContains(t, string(first), r.Find("a").Args[0],
		"where a program stands on this machine is nobody's business")
}

func TestBadFiles(t *testing.T) {
	for text, why := range map[string]string{
		`{"format": 999}`:                  "is of format 999, and this program reads format 1: measure again",
		`{"groups": []}`:                   "is not a file of results",
		`no JSON`:                          "is not a file of results",
		``:                                 "is not a file of results",
		`[]`:                               "is not a file of results",
		`{"format": 1, "repeats": "many"}`: "is damaged",
		`{"format": 1, "groups": [{"name": "G", "results": [{"name": "a"}]}]}`: "no samples",
		`{"format": 1, "groups": [{"name": "G", "results": [null]}]}`:          "no samples",
	} {
		file := filepath.Join(t.TempDir(), "bad.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := Read(file)
		require.ErrorContains(t, err, why, text)
		require.ErrorContains(t, err, file)
	}
	_, err := Read("/no/such/file.json")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzResults reads files of results: accepted ones have samples in each case.
func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"Format":1,"Groups":[{"Name":"g","Results":[{"Samples":[1]}]}]}`))
	f.Add([]byte(`{"Format":1,"Groups":[{"Results":[null]}]}`))
	f.Add([]byte(`{"Format":99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = machine.Parse(text)
		name := filepath.Join(t.TempDir(), "results.json")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		r, err := Read(name)
		if err != nil {
			return
		}
		for _, g := range r.Groups {
			for _, one := range g.Results {
				require.NotEmpty(t, one.Samples)
			}
		}
	})
}

func TestUnwritable(t *testing.T) {
	r := results(made("a", "", 1))
	require.ErrorIs(t, r.Write("/no/such/folder/r.json"), os.ErrNotExist)
	require.Error(t, r.Write(t.TempDir()))
	if _, err := os.Stat("/dev/full"); err == nil {
		require.ErrorContains(t, r.Write("/dev/full"), "no space left on device")
	}
}

// TestRenew requires that remeasured groups are marked, and take the place of the earlier ones.
func TestRenew(t *testing.T) {
	of := func(name string, value float64, cases ...string) (g GroupResult) {
		g = GroupResult{Name: name, About: "About."}
		for _, c := range cases {
			g.Results = append(g.Results, &Result{Case: Case{Name: c}, Samples: []Sample{{Value: value}}})
		}
		return g
	}
	r := NewResults("all")
	r.Groups = []GroupResult{of("F", 1, "f"), of("G", 1, "a", "b"), of("H", 1, "c")}
	all := []Group{{Name: "G", Cases: []Case{{Name: "a"}, {Name: "b"}}}, {Name: "N", Cases: []Case{{Name: "d"}}},
		{Name: "H", Cases: []Case{{Name: "c"}}}}
	again := NewResults("again")
	again.Date = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	again.Groups = []GroupResult{of("H", 2, "c")}
	require.NoError(t, r.Renew(again, all))
	require.Len(t, r.Groups, 2, "F is no more")
	require.Equal(t, "About. Measured by itself on 2026-02-03.", r.Groups[1].About)
	require.Equal(t, []float64{2}, r.Find("c").Values())
	require.Equal(t, []float64{1}, r.Find("a").Values())
	require.Equal(t, "About.", r.Groups[0].About)
	again.Groups = []GroupResult{of("N", 4, "d")}
	require.NoError(t, r.Renew(again, all))
	require.Len(t, r.Groups, 3)
	require.Equal(t, "N", r.Groups[1].Name, "a group that is new stands where it is measured")
	again.Groups = []GroupResult{of("G", 3, "a")}
	require.ErrorContains(t, r.Renew(again, all), "G: these are not the results of all its cases")
	again.Groups = []GroupResult{of("I", 3, "a")}
	require.ErrorContains(t, r.Renew(again, all), "measure the whole group")
	again.Machine.CPU = "another"
	require.ErrorContains(t, r.Renew(again, all), "is not the machine of the other groups")
	require.Equal(t, []float64{1}, r.Find("a").Values())
}
