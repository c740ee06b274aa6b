package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/netio/netiotest"
	overtcp "github.com/activepebbles/pebbles/netio/tcp"
)

func TestFramesWithinAProcess(t *testing.T) {
	for _, bytes := range []string{"8", "64", "4096"} {
		out, err := run(t, "frames", "-rounds", "100", "-bytes", bytes)
		require.NoError(t, err)
		var r framesReport
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		require.Equal(t, "mem", r.Transport)
		require.Zero(t, r.Errors)
		require.Equal(t, 200, r.Hops)
		require.Positive(t, r.SecondsPerHop)
		require.InDelta(t, r.Seconds, 200*r.SecondsPerHop, 1e-12)
	}
}

func TestFramesMistakes(t *testing.T) {
	for _, args := range []string{"-bytes 0", "-bytes 12", "-rounds 0", "-bytes 9223372036854775800"} {
		_, err := run(t, append([]string{"frames"}, strings.Fields(args)...)...)
		require.ErrorContains(t, err, "give a round or more")
	}
	three := mem.New(3)
	_, err := frames{1, 8}.play(t.Context(), three)
	require.ErrorContains(t, err, "3 ranks: a ping-pong is for 2")
	require.NoError(t, three.Close())
}

// The two ends run in a process each, over any transport.
func TestFramesOfTwoProcesses(t *testing.T) {
	for _, name := range []string{connect.ByTCP, connect.ByAuto} {
		all, errs := twoProcesses(t, name), make([]error, 2)
		var r [2]framesReport
		var second sync.WaitGroup
		second.Go(func() { r[1], errs[1] = frames{50, 64}.play(t.Context(), all[1]) })
		r[0], errs[0] = frames{50, 64}.play(t.Context(), all[0])
		second.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Zero(t, r[0].Errors)
		require.Positive(t, r[0].Seconds)
		second.Go(func() { all[1].Close() })
		require.NoError(t, all[0].Close())
		second.Wait()
	}
}

// Every word that is not the one that was sent counts, at either end.
func TestWrongFramesCount(t *testing.T) {
	tr := mem.New(2)
	defer tr.Close()
	e := end{port: tr.Port(0), rank: 0, failure: new(failure)}
	other := end{port: tr.Port(1), rank: 1, failure: e.failure}
	other.send(64, 7)
	e.receive(64, 7)
	require.Zero(t, e.errors)
	other.send(64, 7)
	e.receive(64, 8)
	require.EqualValues(t, 8, e.errors)
	other.send(64, 7)
	e.receive(56, 7)
	require.EqualValues(t, 9, e.errors, "it has another length")

	other.errors = 5
	e.ask()
	other.tell()
	e.hear()
	require.EqualValues(t, 14, e.errors)
}

// Who is told to end, ends.
func TestFramesInterrupted(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	tr := mem.New(2)
	why := errors.New("interrupted")
	stop(why)
	_, err := frames{1 << 40, 64}.play(ctx, tr)
	require.ErrorIs(t, err, why)
	require.NoError(t, tr.Close())
}

func twoProcesses(t *testing.T, name string) []netio.Transport {
	return netiotest.StartAll(t, netiotest.Configs(t, 2, 2), func(_ int, c overtcp.Config) (netio.Transport, error) {
		return connect.Dial(t.Context(), c, name)
	})
}
