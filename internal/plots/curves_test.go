package plots

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func point(curve string, at float64, values ...float64) *Result {
	r := made(curve, "M/s", values...)
	r.Point = &Point{Curve: curve, Axis: "ranks", At: at}
	return r
}

// A line goes from the left to the right through the medians of its results.
func TestCurves(t *testing.T) {
	c := byUnit(Group{Name: "G", Results: []*Result{
		point("b", 64, 3), point("b", 8, 10, 12, 17), point("a <&>", 8, 5), point("b", 16, 4)}})[0]
	require.True(t, c.curved())
	all := c.byCurve()
	require.Len(t, all, 2)
	require.Equal(t, "b", all[0].name)
	var at, medians []float64
	for _, r := range all[0].results {
		at, medians = append(at, r.Point.At), append(medians, r.Median)
	}
	require.Equal(t, []float64{8, 16, 64}, at)
	require.Equal(t, []float64{12, 4, 3}, medians)
}

// A group is drawn as lines if all of its results are points, and as bars otherwise.
func TestWriteCurves(t *testing.T) {
	var lines []*Result
	for _, curve := range []string{"one", "two", "three", "four", "five <&>"} {
		for _, at := range []float64{8, 16, 64} {
			lines = append(lines, point(curve, at, 5, 7, 6))
		}
	}
	groups := []Group{
		{Name: "Lines", Heading: "Lines", Results: lines},
		{Name: "Bars", Results: []*Result{made("limit-a", "M/s", 10, 12), point("b", 8, 1)}},
		{Name: "One", Results: []*Result{point("c", 8, 1)}},
	}
	folder := t.TempDir()
	files, err := Write(folder, groups...)
	require.NoError(t, err)
	require.Len(t, files, 3)
	require.Subset(t, texts(t, filepath.Join(folder, "lines.svg")),
		[]string{"Lines", "ranks", "M/s", "8", "16", "64", "one", "five <&>"})
	bars := texts(t, filepath.Join(folder, "bars.svg"))
	require.Subset(t, bars, []string{"limit-a", "b"})
	require.NotContains(t, bars, "ranks")
	require.Subset(t, texts(t, filepath.Join(folder, "one.svg")), []string{"c", "ranks"})
}

// A curve that begins at 0 has a linear axis, and one of many points no marks.
func TestCurvesFromZero(t *testing.T) {
	var many, few []*Result
	for at := range 100 {
		many = append(many, point("day by day", float64(at), float64(at*at)))
	}
	for at := range 5 {
		few = append(few, point("few", float64(at), 7))
	}
	draw := func(of []*Result) string {
		folder := t.TempDir()
		files, err := Write(folder, Group{Name: "G", Results: of})
		require.NoError(t, err)
		text, err := os.ReadFile(files["G"][0])
		require.NoError(t, err)
		require.NotContains(t, string(text), "NaN")
		require.NotContains(t, string(text), "axis across")
		return string(text)
	}
	require.Less(t, strings.Count(draw(many), "<path"), 40)
	require.Equal(t, 5+1, strings.Count(draw(few), marks[0]), "and one of the legend")
}
