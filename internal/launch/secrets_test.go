package launch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is nearly a secret is in no error's text.
func TestWrongSecretsAreNotShown(t *testing.T) {
	good := strings.Repeat("5a", secretBytes)
	for _, text := range []string{good[1:], good[:63] + "x", good + "5a"} {
		_, err := parseSecret([]byte(text))
		require.Error(t, err)
		require.NotContains(t, err.Error(), "5a5a", text)
	}
}
