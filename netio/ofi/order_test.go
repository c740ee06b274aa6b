package ofi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// TestOrdered draws operations and looks, and retries refused ones in turn, like the way. Nothing passes a get to the
// same end, and all end.
func TestOrdered(t *testing.T) {
	const peers, looks = 3, 5
	rapid.Check(t, func(t *rapid.T) {
		n := &loopback{late: looks}
		o := &ordered{fabric: n.open()}
		memory := make([]byte, 64)
		var there [peers]region
		for i := range there {
			end := n.open()
			peer, err := o.Link(end.Address())
			require.NoError(t, err)
			require.EqualValues(t, i+1, peer)
			there[i], err = end.Register(make([]byte, 64), 1)
			require.NoError(t, err)
			require.NoError(t, end.Post(make([]byte, 1<<20), region{}, 0))
		}
		n.busy = rapid.IntRange(0, 4).Draw(t, "busy") * 2
		kinds := []string{"send", "put", "get"}
		try := func(op [2]int, tag uint32) error {
			peer := uint64(op[1] + 1)
			r := &there[op[1]]
			switch kinds[op[0]] {
			case "send":
				return o.Send(peer, memory, region{}, tag)
			case "put":
				return o.Put(peer, memory, region{}, r.base, r.key, tag)
			}
			return o.Get(peer, memory, region{}, r.base, r.key, tag)
		}
		ops := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(0, len(kinds)-1).Draw(t, "kind"), rapid.IntRange(0, peers-1).Draw(t, "peer")}
		}), 1, 60).Draw(t, "operations")
		ended, begun := map[uint32]bool{}, 0
		var waiting []uint32
		var into [eventsMax]event
		for look := 0; len(ended) < len(ops); look++ {
			require.Less(t, look, 100+2*len(ops)*(looks+2), "something waits for ever")
			for range min(rapid.IntRange(1, 4).Draw(t, "new"), len(ops)-begun) {
				waiting = append(waiting, uint32(begun))
				begun++
			}
			still := waiting[:0]
			for _, tag := range waiting {
				if err := try(ops[tag], tag); err != nil {
					require.ErrorIs(t, err, errBusy)
					still = append(still, tag)
				}
			}
			waiting = still
			found, err := o.Poll(into[:])
			require.NoError(t, err)
			for _, e := range into[:found] {
				require.NoError(t, e.err)
				require.False(t, ended[e.tag])
				ended[e.tag] = true
			}
		}
		require.Zero(t, n.overtaken)
	})
}

// TestGetsKeepNoSendWaiting begins a get with every look: a send gets its turn once the gets before it have ended.
func TestGetsKeepNoSendWaiting(t *testing.T) {
	const looks = 5
	n := &loopback{late: looks}
	o := &ordered{fabric: n.open()}
	end, memory := n.open(), make([]byte, 8)
	peer, err := o.Link(end.Address())
	require.NoError(t, err)
	there, err := end.Register(make([]byte, 8), 1)
	require.NoError(t, err)
	require.NoError(t, end.Post(make([]byte, 1<<20), region{}, 0))
	begun := 0
	for look := 0; ; look++ {
		if o.Get(peer, memory, region{}, there.base, there.key, uint32(look)) == nil {
			begun++
		}
		if o.Send(peer, memory, region{}, 1000) == nil {
			break
		}
		require.LessOrEqual(t, look, looks+1, "the send still waits")
		_, err := o.Poll(make([]event, eventsMax))
		require.NoError(t, err)
	}
	require.Equal(t, 1, begun)
}

// TestLateGetsAreOvertaken fetches frames over ends with late gets: only an ordered end holds back later sends.
func TestLateGetsAreOvertaken(t *testing.T) {
	for name, inOrder := range map[string]bool{"ordered": true, "bare": false} {
		t.Run(name, func(t *testing.T) {
			n := &loopback{late: 20}
			trouble(t, func() fabric {
				if inOrder {
					return &ordered{fabric: n.open()}
				}
				return n.open()
			})
			require.Equal(t, inOrder, n.overtaken == 0)
		})
	}
}

func TestIsIWARP(t *testing.T) {
	root := t.TempDir()
	for device, kind := range map[string]string{"siw0": "4: RNIC\n", "rxe0": "1: CA\n"} {
		folder := filepath.Join(root, "sys/class/infiniband", device)
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "node_type"), []byte(kind), 0o600))
	}
	require.True(t, isIWARP(root, "siw0"))
	require.False(t, isIWARP(root, "rxe0"))
	require.False(t, isIWARP(root, "mlx5_0"))
}

// nothingFar has no operations.
type nothingFar struct{ local.Far }

func (nothingFar) Fence(*netio.Completion) {}

// TestFencesCountWhatCameBefore requires that a fence waits only for the transfers that began before it.
func TestFencesCountWhatCameBefore(t *testing.T) {
	r := &far{rest: nothingFar{}}
	var first, second netio.Completion
	begin := func() *transfer {
		x := &transfer{of: r, number: r.fences.Start(), place: len(r.all)}
		r.all = append(r.all, x)
		return x
	}
	requireDone := func(want ...bool) { require.Equal(t, want, []bool{first.Done(), second.Done()}) }
	before := begin()
	r.Fence(&first)
	between := begin()
	r.Fence(&second)
	r.remove(begin(), true) // began after both fences
	requireDone(false, false)
	r.remove(between, true)
	requireDone(false, false)
	r.remove(before, true)
	requireDone(true, true)
	require.Zero(t, r.fences.Open())
}
