package connect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio/connect"
)

func TestNamesWithFabrics(t *testing.T) {
	for _, f := range []connect.Fabric{
		{}, {Provider: "tcp"}, {Pinned: 1 << 20}, {Provider: "verbs", Pinned: 5, Insecure: true}, {Insecure: true},
	} {
		for _, name := range []string{connect.ByAuto, connect.ByOFI} {
			got, fabric, err := connect.Parse(connect.With(name, f))
			require.NoError(t, err)
			require.Equal(t, name, got)
			require.Equal(t, f, fabric)
		}
	}
	for _, name := range []string{connect.ByAuto, connect.ByShm, connect.ByTCP} {
		encrypted := connect.Encrypted(name)
		require.True(t, connect.IsEncrypted(encrypted))
		require.Equal(t, encrypted, connect.Encrypted(encrypted), "once is enough")
		got, _, err := connect.Parse(encrypted)
		require.NoError(t, err)
		require.Equal(t, name, got)
	}
	for text, want := range map[string]string{
		"pigeon": "no transport has the name", "tcp:verbs": "only ofi and auto take a provider",
		"tls+auto:verbs":  "TLS does not encrypt a provider",
		"tls+":            "no transport has the name",
		"ofi:x:y":         "neither pinned=BYTES nor insecure",
		"ofi:x:pinned=-1": "neither pinned=BYTES", "ofi:x:pinned=": "neither pinned=BYTES", ":": "no transport has " +
			"the name",
	} {
		_, _, err := connect.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}
