package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// verdict compares two results of one case.
func verdict(t *testing.T, old, now *Result, threshold float64) Difference {
	t.Helper()
	c, err := Compare(results(old), results(now), CompareOptions{Threshold: threshold})
	require.NoError(t, err)
	require.Len(t, c.Differences, 1)
	return c.Differences[0]
}

func TestVerdicts(t *testing.T) {
	old := made("a", "", 100, 101, 102, 103, 104)
	slow := made("a", "", 80, 81, 82, 83, 84)
	d := verdict(t, old, slow, 0.1)
	require.Equal(t, Slower, d.Verdict)
	require.InDelta(t, 82.0/102, d.Speed, 1e-9)
	require.InDelta(t, 2.0/252, d.P, 1e-9, "of the 252 orders of 5 and 5 samples, 2 are as far apart")
	require.Equal(t, Same, verdict(t, old, slow, 0.2).Verdict, "within the threshold")
	require.Equal(t, Faster, verdict(t, slow, old, 0.1).Verdict)
	require.Equal(t, Same, verdict(t, slow, old, 0.2).Verdict)
	require.Equal(t, Same, verdict(t, old, made("a", "", 60, 60.5, 70, 110, 120), 0.1).Verdict, "chance")
	require.Equal(t, Same, verdict(t, old, old, 0).Verdict)

	old.Lower, slow.Lower = true, true
	require.Equal(t, Faster, verdict(t, old, slow, 0.1).Verdict, "less time is faster")
	require.Equal(t, Slower, verdict(t, slow, old, 0.1).Verdict)
}

func TestUndecided(t *testing.T) {
	d := verdict(t, made("a", "", 1, 2, 3), made("a", "", 100, 200, 300), 0.1)
	require.Equal(t, Undecided, d.Verdict)
	require.Contains(t, d.Why, "--repeats 5")
	require.InDelta(t, 0.1, leastP(3, 3), 1e-12)
	require.InDelta(t, 2.0/70, leastP(4, 4), 1e-12)
	require.Equal(t, 1.0, leastP(0, 4))
	require.Equal(t, Slower, verdict(t, made("a", "", 10, 11, 12, 13), made("a", "", 1, 2, 3, 4), 0.1).Verdict)
}

func TestChanged(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	with := func(change func(*Result)) *Result {
		r := made("a", "", five...)
		r.Sum, r.Exactly = "c", map[string]string{"counters.sent": "5", "items": "7"}
		change(r)
		return r
	}
	old := with(func(*Result) {})
	require.Equal(t, Same, verdict(t, old, with(func(*Result) {}), 0.1).Verdict)
	for why, now := range map[string]*Result{
		`checksum was "c" and is "d"`:            with(func(r *Result) { r.Sum = "d" }),
		`checksum was "c" and is ""`:             with(func(r *Result) { r.Sum = "" }),
		`counters.sent was "5" and is "6"`:       with(func(r *Result) { r.Exactly["counters.sent"] = "6" }),
		`items was "7" and is ""`:                with(func(r *Result) { delete(r.Exactly, "items") }),
		`the command was "run a" and is "run b"`: with(func(r *Result) { r.Line = "run b" }),
		`"GB/s" against "" was "M/s" against ""`: with(func(r *Result) { r.Unit = "GB/s" }),
	} {
		d := verdict(t, old, now, 0.1)
		require.Equal(t, Changed, d.Verdict, why)
		require.Equal(t, why, d.Why)
	}
}

func TestMissingAndAdded(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	c, err := Compare(results(made("a", "", five...), made("gone", "", five...)),
		results(made("a", "", five...), made("new", "", five...)), CompareOptions{})
	require.NoError(t, err)
	var all []string
	for _, d := range c.Differences {
		all = append(all, d.Name+" "+string(d.Verdict))
	}
	require.Equal(t, []string{"a ~", "gone MISSING", "new added"}, all)
	require.EqualError(t, c.Err(), "of 3 cases 1 missing")
	var table strings.Builder
	require.NoError(t, c.Table(&table))
	require.Contains(t, table.String(), "MISSING")

	_, err = Compare(results(made("a", "", five...)), results(made("b", "", five...)), CompareOptions{})
	require.ErrorContains(t, err, "no case in common")
	_, err = Compare(results(), results(), CompareOptions{})
	require.ErrorContains(t, err, "no case in common")
}

// TestComparingRatios requires that ratios are compared if the machines differ: the fraction of the limit counts.
func TestComparingRatios(t *testing.T) {
	here := results(made("limit-a", "", 100, 100, 100, 100, 100), made("a", "limit-a", 50, 51, 52, 53, 54))
	there := results(made("limit-a", "", 10, 10, 10, 10, 10), made("a", "limit-a", 5.0, 5.1, 5.2, 5.3, 5.4))
	there.Machine.CPU = "another"
	c, err := Compare(here, there, CompareOptions{Threshold: 0.1, Ratios: true})
	require.NoError(t, err)
	require.NoError(t, c.Err())
	require.Empty(t, c.Notes)
	require.Equal(t, "of limit-a", c.Differences[1].Unit)
	require.InDelta(t, 0.52, c.Differences[1].New.Median, 1e-9)
	c, err = Compare(here, there, CompareOptions{Threshold: 0.1})
	require.NoError(t, err)
	require.EqualError(t, c.Err(), "of 2 cases 2 slower")
	require.Contains(t, c.Notes[0], "the machines differ")

	slower := results(made("limit-a", "", 100, 100, 100, 100, 100), made("a", "limit-a", 20, 21, 22, 23, 24))
	c, err = Compare(here, slower, CompareOptions{Threshold: 0.4, Ratios: true})
	require.NoError(t, err)
	require.EqualError(t, c.Err(), "of 2 cases 1 slower")
	slower.Groups[0].Results[0].Sum = "changed"
	c, err = Compare(here, slower, CompareOptions{Threshold: 0.4, Ratios: true})
	require.NoError(t, err)
	require.EqualError(t, c.Err(), "of 2 cases 1 slower, 1 changed", "what has no ratio is compared exactly")
}

// TestComparingKeepsSamples requires that a comparison keeps the order of samples, which ratios depend on.
func TestComparingKeepsSamples(t *testing.T) {
	old, now := made("a", "", 5, 1, 4, 2, 3), made("a", "", 3, 5, 1, 2, 4)
	verdict(t, old, now, 0.1)
	require.Equal(t, []float64{5, 1, 4, 2, 3}, old.Values())
	require.Equal(t, []float64{3, 5, 1, 2, 4}, now.Values())
}
