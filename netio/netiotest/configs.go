package netiotest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Configs are those of all processes of a job, over loopback.
func Configs(t testing.TB, ranks, processes int) []tcp.Config {
	listeners := make([]net.Listener, processes)
	addresses := make([]string, processes)
	for i := range listeners {
		l, err := tcp.Listen("")
		require.NoError(t, err)
		listeners[i], addresses[i] = l, l.Addr().String()
	}
	all := make([]tcp.Config, processes)
	for i := range all {
		all[i] = tcp.Config{
			Job: "test", Secret: Secret(1), Place: netio.PlaceOf(ranks, processes, i), Listener: listeners[i],
			Addresses: addresses, Identity: Identity(),
		}
	}
	return all
}

// Secret is 32 equal bytes.
func Secret(b byte) []byte {
	s := make([]byte, 32)
	for i := range s {
		s[i] = b
	}
	return s
}

// Identity is that of all processes of [Configs].
func Identity() handshake.Identity {
	return handshake.Identity{Protocol: handshake.Protocol, Build: "b", ByteOrder: "little", Registry: "r"}
}
