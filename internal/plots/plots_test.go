package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func made(name, unit string, values ...float64) *Result {
	slices.Sort(values)
	n := len(values)
	return &Result{Name: name, Unit: unit, Limit: strings.HasPrefix(name, "limit-"), Min: values[0], Max: values[n-1],
		Median: (values[(n-1)/2] + values[n/2]) / 2}
}

// texts returns the words of a picture.
func texts(t *testing.T, file string) (words []string) {
	picture, err := os.ReadFile(file)
	require.NoError(t, err)
	_, _, boxes := read(t, picture)
	for _, b := range boxes {
		words = append(words, b.words)
	}
	return words
}

func TestWrite(t *testing.T) {
	groups := []Group{
		{Name: "One & other", Heading: "One & other", Results: []*Result{made("limit-a", "M/s", 10, 12), made("a <b>", "M/s",
			5, 7, 6)}},
		{Name: "Two", Heading: "Two", Results: []*Result{made("c", "GB/s", 1), made("d", "µs", 2)}},
	}
	folder := filepath.Join(t.TempDir(), "new", "plots")
	files, err := Write(folder, groups...)
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(folder, name) }
	require.Equal(t, map[string][]string{"One & other": {at("one-other.svg")},
		"Two": {at("two-gb-per-s.svg"), at("two-us.svg")}}, files)
	one := texts(t, at("one-other.svg"))
	require.Subset(t, one, []string{"One & other", "M/s", "limit-a", "a <b>"})
	require.NotContains(t, one, "c")
	require.Subset(t, texts(t, at("two-us.svg")), []string{"Two", "µs", "d"})
}

// TestBars requires that a bar ends at the median of its row, and its line at the lowest and the highest sample. The
// first row is on top, and limits are grey.
func TestBars(t *testing.T) {
	c := byUnit(Group{Name: "G", Results: []*Result{made("limit-a", "M/s", 10, 12),
		made("b", "M/s", 5, 9, 6)}})[0]
	a := axisOf(c.Results, margin, pageWidth-margin-valueRoom)
	picture := string(c.draw())
	limit := strings.Index(picture, fmt.Sprintf(`width="%.1f" height="%d.0" fill="%s"`, a.at(11)-a.at(0), barHeight,
		limitColor))
	own := strings.Index(picture, fmt.Sprintf(`width="%.1f" height="%d.0" fill="%s"`, a.at(6)-a.at(0), barHeight,
		ownColor))
	require.Positive(t, limit)
	require.Greater(t, own, limit)
	require.Regexp(t, fmt.Sprintf(`d="M%.1f,[0-9.]+L%.1f,[0-9.]+" stroke="%s"`, a.at(5), a.at(9), lineColor), picture)
	require.Contains(t, picture, "Grey is what the")
}

// Figures that are far apart are on a logarithmic axis, at equal distances for equal ratios; others on an axis from 0.
func TestAxis(t *testing.T) {
	a := axisOf([]*Result{made("a", "s", 1, 2, 3), made("b", "s", 9)}, 0, 100)
	require.False(t, a.log)
	require.Zero(t, a.at(0))
	require.InDelta(t, a.at(4)-a.at(2), a.at(8)-a.at(6), 1e-9)
	require.Equal(t, []float64{0, 2, 4, 6, 8}, a.ticks(7))
	a = axisOf([]*Result{made("a", "s", 1, 2, 3), made("b", "s", 200)}, 0, 100)
	require.True(t, a.log)
	require.InDelta(t, a.at(4)-a.at(2), a.at(80)-a.at(40), 1e-9)
	require.Equal(t, []float64{1, 3, 10, 30, 100}, a.ticks(7))
	require.Positive(t, a.at(1))
	require.Less(t, a.at(200), 100.)
}

func TestNumber(t *testing.T) {
	for v, text := range map[float64]string{0: "0", 0.25: "0.25", 12.345: "12.3", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, text, number(v))
	}
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Write(file)
	require.Error(t, err)
}
