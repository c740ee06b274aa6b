package contagion

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// loimos reads a file of Loimos, and skips the test if it is absent.
func loimos(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(appstest.Data(t, filepath.Join("loimos", name)))
	require.NoError(t, err)
	return text
}

func diseaseOf(t testing.TB, text string) *scenario.Disease {
	t.Helper()
	d := appstest.Must(scenario.ReadDisease([]byte(text)))
	return d
}

// syn is the run of Loimos with the curve that its own tests check.
func syn(t testing.TB) Config {
	grid, err := population.NewGrid(population.GridConfig{
		People: 10_000, Width: 50, Height: 50, TilesX: 5, TilesY: 5, Blocks: 32, VisitsPerDay: 5,
	})
	require.NoError(t, err)
	return Config{Disease: diseaseOf(t, string(loimos(t, "covid19_onepath.textproto"))), Population: grid, Days: 30,
		Loimos: true}
}

// lines returns a curve in the format of Loimos.
func lines(curve []Row) string {
	var b strings.Builder
	b.WriteString("day,state,total_in_state,change_in_state\n")
	for _, r := range curve {
		fmt.Fprintf(&b, "%d,%s,%d,%d\n", r.Day, r.State, r.Total, r.Change)
	}
	return b.String()
}

// Utopia has the number of interactions that the tests of Loimos check.
func TestUtopia(t *testing.T) {
	folder := filepath.Dir(appstest.Data(t, "loimos/utopia_people.csv"))
	utopia := appstest.Must(population.Read(os.DirFS(folder), "utopia_", 1))
	covid := diseaseOf(t, string(loimos(t, "covid19.textproto")))
	for days := 1; days <= 2; days++ {
		got, err := Serial(Config{
			Disease: covid, Population: utopia, Days: days, Contact: MinMaxAlpha, Meetings: true, Loimos: true,
		})
		require.NoError(t, err)
		require.EqualValues(t, 97*days, got.Contacts)
	}
}
