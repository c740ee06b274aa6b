package bootstrap

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCard reads cards that other users may have left: what is read is written the same way again.
func FuzzCard(f *testing.F) {
	f.Add(card{address: "h:1"}.String())
	f.Add("pebbles-1,AAAA,h:1")
	f.Add("pebbles-2,,")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCard(text)
		if err != nil {
			return
		}
		again, err := parseCard(c.String())
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}

// FuzzReport takes in what a child says of its subtree: what is taken has each process once, with an address.
func FuzzReport(f *testing.F) {
	good, _ := json.Marshal(report{Number: 2, Subtree: []member{{2, self(2)}, {17, self(17)}, {18, self(18)}, {19, self(19)}}})
	f.Add(good)
	f.Add([]byte(`{"Subtree":[{"Number":-1}]}`))
	f.Add([]byte(`{"Subtree":[{"Number":9223372036854775807,"Address":"h:1","Cores":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r report
		if json.Unmarshal(text, &r) != nil {
			return
		}
		tr := tree{20, fanoutDefault}
		_ = tr.isChild(r.Number, 2)
		if tr.checkSubtree(2, r.Subtree) != nil {
			return
		}
		seen := map[int]bool{}
		for _, m := range r.Subtree {
			require.True(t, tr.below(m.Number, 2))
			require.False(t, seen[m.Number])
			seen[m.Number] = true
			require.NoError(t, checkAddress(m.Address))
		}
	})
}

// FuzzVerdict takes in what a parent says of the job.
func FuzzVerdict(f *testing.F) {
	good, _ := json.Marshal((&Job{ID: "j", Secret: secret, Ranks: 2, Addresses: []string{"h:1", "h:2"}}).verdict())
	f.Add(good)
	f.Add([]byte(`{"Failed":"no"}`))
	f.Add([]byte(`{"ID":"j","Secret":"AA==","Ranks":-1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v verdict
		if json.Unmarshal(text, &v) != nil {
			return
		}
		if j := v.job(); j.check(2) == nil {
			require.Len(t, j.Addresses, 2)
			require.Len(t, j.Secret, secretBytes)
			require.GreaterOrEqual(t, j.Ranks, 2)
		}
	})
}
