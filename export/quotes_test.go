package export_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/ingest"
)

// A field is read back unchanged, whatever it begins and ends with.
func TestFieldsComeBackWithTheirEnds(t *testing.T) {
	type text struct{ Words string }
	for _, odd := range []string{"\r", "\n", "\"", " ", ",", "\t"} {
		for _, words := range []string{odd, odd + "words", "words" + odd, "wo" + odd + "rds"} {
			out := filepath.Join(t.TempDir(), "out")
			_, err := write(1, 1, out, export.CSV[text](0), func(int) text { return text{words} })
			require.NoError(t, err)
			want := fmt.Sprintf("%q", fmt.Sprint(text{words}))
			require.Equal(t, []string{want}, read(t, 1, out, ingest.CSV[text]()), "%q", words)
		}
	}
}
