package lab

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/machine"
)

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
