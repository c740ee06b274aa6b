package handshake

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzDecodeHello(f *testing.F) {
	good, err := Hello{Role: RolePeer, Job: "j", Identity: Identity{Build: "b"}}.encode()
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte(`{"Lane":300}`))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeHello(b)
		if err != nil {
			require.Zero(t, h)
			return
		}
		if again, err := h.encode(); err == nil {
			back, err := decodeHello(again)
			require.NoError(t, err)
			require.Equal(t, h, back)
		}
	})
}
