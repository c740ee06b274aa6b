package distgraph

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLabelsComeBackFromJSON reads labels of each kind as they were written, in results and alone.
func TestLabelsComeBackFromJSON(t *testing.T) {
	for text, labels := range map[string]Labels{
		`[0,18446744073709551615]`: {IDs: []uint64{0, 1<<64 - 1}},
		`["7","","Zürich"]`:        {Names: []string{"7", "", "Zürich"}},
	} {
		got, err := json.Marshal(labels)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
		var back Labels
		require.NoError(t, json.Unmarshal(got, &back))
		require.Equal(t, labels, back)
		for i := range labels.Len() {
			got, err := json.Marshal(labels.At(i))
			require.NoError(t, err)
			var back Label
			require.NoError(t, json.Unmarshal(got, &back))
			require.Equal(t, labels.At(i), back)
		}
	}
	require.Error(t, json.Unmarshal([]byte(`[true]`), new(Labels)))
	require.Error(t, json.Unmarshal([]byte(`-1`), new(Label)))
}

// TestLabelsAreOneWord requires that labels in lines of text can be told apart.
func TestLabelsAreOneWord(t *testing.T) {
	for want, l := range map[string]Label{
		"7": {ID: 7}, "seven": {Name: "seven", IsName: true}, `""`: {IsName: true},
		`"a b"`: {Name: "a b", IsName: true}, `"\""`: {Name: `"`, IsName: true}, `"\x00"`: {Name: "\x00", IsName: true},
	} {
		require.Equal(t, want, fmt.Sprintf("%d", l))
	}
}
