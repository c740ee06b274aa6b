package netiotest

import (
	"errors"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Configs returns the configurations of all processes of a job, over loopback.
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

// TryAll starts all processes of a job together, and returns the result of each.
func TryAll[T any](cs []tcp.Config, dial func(process int, c tcp.Config) (T, error)) ([]T, []error) {
	all, errs := make([]T, len(cs)), make([]error, len(cs))
	var running sync.WaitGroup
	for i, c := range cs {
		running.Go(func() { all[i], errs[i] = dial(i, c) })
	}
	running.Wait()
	return all, errs
}

// StartAll is [TryAll], but requires that all processes start.
func StartAll[T any](t testing.TB, cs []tcp.Config, dial func(process int, c tcp.Config) (T, error)) []T {
	all, errs := TryAll(cs, dial)
	require.NoError(t, errors.Join(errs...))
	return all
}

// CloseAll closes all processes of a job together.
func CloseAll[T netio.Transport](all []T) error { return errors.Join(closeEach(all)...) }

// closeEach is [CloseAll], but returns the result of each.
func closeEach[T netio.Transport](all []T) []error {
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for i, tr := range all {
		running.Go(func() { errs[i] = tr.Close() })
	}
	running.Wait()
	return errs
}

// Interfaces converts transports for the conformance suite.
func Interfaces[T netio.Transport](all []T) (some []netio.Transport) {
	for _, tr := range all {
		some = append(some, tr)
	}
	return some
}

// Secret returns 32 equal bytes.
func Secret(b byte) []byte {
	s := make([]byte, 32)
	for i := range s {
		s[i] = b
	}
	return s
}

// Identity returns the identity of all processes of [Configs].
func Identity() handshake.Identity {
	return handshake.Identity{Protocol: handshake.Protocol, Build: "b", ByteOrder: "little", Registry: "r"}
}
