package lab

import (
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// Verdict is the outcome of comparing a case in two results.
type Verdict string

// The verdicts. Slower, Changed, Missing and Undecided fail a comparison.
const (
	Same      Verdict = "~"         // no significant difference beyond the threshold
	Faster    Verdict = "faster"    // significantly, and beyond the threshold
	Slower    Verdict = "SLOWER"    // significantly, and beyond the threshold
	Changed   Verdict = "CHANGED"   // the checksum, or an exact field, differs
	Missing   Verdict = "MISSING"   // only the old results have it
	Added     Verdict = "added"     // only the new results have it
	Undecided Verdict = "UNDECIDED" // too few samples for the test
)

// Significance is the probability, by a Mann-Whitney U-test, below which a difference does not count as chance.
const Significance = 0.05

// CompareOptions defines a difference.
type CompareOptions struct {
	Threshold float64 // least change of speed that counts, as a fraction: 0.1 is 10 % faster or slower
	// compare only ratios to other cases, for results of different machines
	Ratios bool
}

// Difference is one case in two results.
type Difference struct {
	Name     string
	Unit     string
	Old, New Summary
	Speed    float64 // new as a fraction of the old: 0.9 is 10 % slower
	P        float64 // probability of such samples by chance
	Verdict  Verdict
	Why      string // reason for Changed and Undecided
}

// Comparison holds all differences, in the order of the old results.
type Comparison struct {
	Differences []Difference
	Notes       []string // reasons to trust the comparison less
}

// Compare compares new results with old ones, case by case: speeds by a Mann-Whitney U-test (Mann and Whitney, On a
// test of whether one of two random variables is stochastically larger than the other, 1947) and a threshold, exact
// fields and checksums exactly. It fails if the two have no case in common.
func Compare(before, after Results, o CompareOptions) (Comparison, error) {
	c := Comparison{Notes: notes(before, after, o)}
	common := 0
	for _, g := range before.Groups {
		for _, r := range g.Results {
			d := o.difference(g, r, after)
			if d.Verdict != Missing {
				common++
			}
			c.Differences = append(c.Differences, d)
		}
	}
	if common == 0 {
		return c, fmt.Errorf("the results have no case in common: measure the same suite")
	}
	for _, g := range after.Groups {
		for _, r := range g.Results {
			if before.Find(r.Name) == nil {
				c.Differences = append(c.Differences, Difference{Name: r.Name, Unit: r.Unit, New: r.Summary(),
					Verdict: Added})
			}
		}
	}
	return c, nil
}

// notes lists differences between the two measurements.
func notes(before, after Results, o CompareOptions) (all []string) {
	if before.Machine != after.Machine && !o.Ratios {
		all = append(all, fmt.Sprintf("the machines differ: %v, and %v; compare ratios", before.Machine, after.Machine))
	}
	return all
}

// difference compares one case.
func (o CompareOptions) difference(oldGroup GroupResult, old *Result, after Results) Difference {
	d := Difference{Name: old.Name, Unit: old.Unit, Old: old.Summary(), Verdict: Missing}
	newGroup, now := after.locate(old.Name)
	if now == nil {
		return d
	}
	d.New = now.Summary()
	if d.Why = changes(old, now); d.Why != "" {
		d.Verdict = Changed
		return d
	}
	first, second, lower := old.Values(), now.Values(), old.Lower
	switch {
	case o.Ratios && old.Against == "":
		d.Verdict = Same // only exact fields are comparable
		return d
	case o.Ratios:
		first, second, lower = oldGroup.Ratios(old), newGroup.Ratios(now), false
		d.Unit = "of " + old.Against
		d.Old, d.New = Summarize(first), Summarize(second)
	}
	if least := leastP(len(first), len(second)); least > Significance {
		d.Verdict = Undecided
		d.Why = fmt.Sprintf("%d and %d samples are too few for the test: measure with --repeats 5 or more", len(first),
			len(second))
		return d
	}
	d.Speed = Case{Lower: lower}.speed(d.New.Median, d.Old.Median)
	d.P = benchmath.AssumeNothing.Compare(sample(first), sample(second)).P
	d.Verdict = o.judge(d.Speed, d.P)
	return d
}

func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds) // it sorts its argument
}

func (o CompareOptions) judge(speed, p float64) Verdict {
	switch {
	case p >= Significance:
		return Same
	case speed < 1-o.Threshold:
		return Slower
	case speed > 1/(1-o.Threshold): // then the old is slower than the new by the threshold
		return Faster
	}
	return Same
}

// leastP returns the least probability that a U-test of n and m samples can give: 2 out of all orders of the samples.
func leastP(n, m int) float64 {
	if n == 0 || m == 0 {
		return 1
	}
	orders, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n+m), int64(n))).Float64()
	return 2 / orders
}

// locate finds a result and its group.
func (r Results) locate(name string) (GroupResult, *Result) {
	for _, g := range r.Groups {
		if found := g.find(name); found != nil {
			return g, found
		}
	}
	return GroupResult{}, nil
}

// changes lists the differences other than measured figures.
func changes(old, now *Result) string {
	var all []string
	if old.Unit != now.Unit || old.Lower != now.Lower || old.Against != now.Against {
		all = append(all, fmt.Sprintf("%q against %q was %q against %q", now.Unit, now.Against, old.Unit, old.Against))
	}
	if old.Line != now.Line {
		all = append(all, fmt.Sprintf("the command was %q and is %q", old.Line, now.Line))
	}
	if old.Sum != now.Sum {
		all = append(all, fmt.Sprintf("checksum was %q and is %q", old.Sum, now.Sum))
	}
	for _, name := range slices.Sorted(maps.Keys(old.Exactly)) {
		if is, ok := now.Exactly[name]; !ok || is != old.Exactly[name] {
			all = append(all, fmt.Sprintf("%s was %q and is %q", name, old.Exactly[name], is))
		}
	}
	return strings.Join(all, "; ")
}

// Err reports the number of cases that fail the comparison, or returns nil.
func (c Comparison) Err() error {
	failed := map[Verdict]int{}
	for _, d := range c.Differences {
		failed[d.Verdict]++
	}
	var parts []string
	for _, v := range []Verdict{Slower, Changed, Missing, Undecided} {
		if failed[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", failed[v], strings.ToLower(string(v))))
		}
	}
	if parts == nil {
		return nil
	}
	return fmt.Errorf("of %d cases %s", len(c.Differences), strings.Join(parts, ", "))
}

// Table writes the comparison for display.
func (c Comparison) Table(w io.Writer) error {
	for _, note := range c.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	t := NewTable("case", "old", "new", "unit", "speed", "p", "verdict")
	for _, d := range c.Differences {
		speed, p := "", ""
		if d.Speed != 0 {
			speed, p = fmt.Sprintf("%+.1f%%", 100*(d.Speed-1)), fmt.Sprintf("%.3f", d.P)
		}
		t.Row(d.Name, d.Old.text(), d.New.text(), d.Unit, speed, p, d.verdict())
	}
	return t.Text(w)
}

func (d Difference) verdict() string {
	if d.Why == "" {
		return string(d.Verdict)
	}
	return string(d.Verdict) + ": " + d.Why
}
