package guides_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Defaults in documents agree with the code.
func TestDefaultsInDocuments(t *testing.T) {
	for document, sentences := range map[string][]string{
		"guide-speed.md":         {fmt.Sprintf("batches of up to %d in the main function", target.SendBufferMax)},
		"guide-first-program.md": {fmt.Sprintf("gathers up to %d pebbles", target.SendBufferMax)},
		"architecture.md":        {fmt.Sprintf("gathers up to %d pebbles", target.SendBufferMax)},
		"guide-memory.md":        {fmt.Sprintf("`--address-cache`, %d by default", pebble.AddressCacheDefault)},
		"contract.md":            {fmt.Sprintf("addresses (%d by default", pebble.AddressCacheDefault)},
	} {
		text, err := os.ReadFile(filepath.Join(root, "docs", document))
		require.NoError(t, err)
		words := strings.Join(strings.Fields(string(text)), " ")
		for _, sentence := range sentences {
			require.Contains(t, words, sentence, document)
		}
	}
}
