package plots

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab"
)

func made(name, unit string, values ...float64) *lab.Result {
	r := &lab.Result{Case: lab.Case{Name: name, Unit: unit}}
	for _, v := range values {
		r.Samples = append(r.Samples, lab.Sample{Value: v})
	}
	return r
}

// texts are the words of a picture, which must be sound XML.
func texts(t *testing.T, file string) (words []string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	d := xml.NewDecoder(f)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words
		}
		require.NoError(t, err)
		if data, ok := token.(xml.CharData); ok {
			words = append(words, string(data))
		}
	}
}

func TestWrite(t *testing.T) {
	r := lab.Results{Groups: []lab.GroupResult{
		{Name: "One & other", Results: []*lab.Result{made("limit-a", "M/s", 10, 12), made("a <b>", "M/s", 5, 7, 6)}},
		{Name: "Two", Results: []*lab.Result{made("c", "GB/s", 1), made("d", "µs", 2)}},
	}}
	folder := filepath.Join(t.TempDir(), "new", "plots")
	files, err := Write(folder, r)
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(folder, name) }
	require.Equal(t, map[string][]string{"One & other": {at("one-other.svg")}, "Two": {at("two-gb-per-s.svg"), at("two-us.svg")}}, files)
	one := texts(t, at("one-other.svg"))
	require.Subset(t, one, []string{"One & other", "M/s", "limit-a", "a <b>"})
	require.NotContains(t, one, "c")
	require.Subset(t, texts(t, at("two-us.svg")), []string{"Two", "µs", "d"})
}

// A bar ends at the median of its row, its line at the lowest and the highest; the first row is on top.
func TestBars(t *testing.T) {
	c := byUnit(lab.GroupResult{Name: "G", Results: []*lab.Result{made("limit-a", "M/s", 10, 12), made("b", "M/s", 5, 9, 6)}})[0]
	own, limits, names := c.bars()
	require.Equal(t, []string{"b", "limit-a"}, names)
	require.Equal(t, []float64{6, 0}, []float64(own))
	require.Equal(t, []float64{0, 11}, []float64(limits))
	x, y := c.XY(0)
	require.Equal(t, [2]float64{6, 0}, [2]float64{x, y})
	low, high := c.XError(0)
	require.Equal(t, [2]float64{-1, 3}, [2]float64{low, high})
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Write(file, lab.Results{})
	require.Error(t, err)
}
