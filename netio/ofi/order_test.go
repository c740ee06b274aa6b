package ofi

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// lateGets is an end whose gets take more looks to end, and which counts what is sent to an end while gets from it are
// open.
type lateGets struct {
	*loop
	looks     int
	gets      map[uint32]*lateGet
	overtaken *atomic.Int64
}

type lateGet struct {
	peer  uint64
	looks int
	ended *event
}

func (n *loopback) openLate(looks int, overtaken *atomic.Int64) *lateGets {
	return &lateGets{n.open(), looks, map[uint32]*lateGet{}, overtaken}
}

func (l *lateGets) Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	err := l.loop.Get(peer, mem, r, at, key, tag)
	if err == nil {
		l.gets[tag] = &lateGet{peer: peer, looks: l.looks}
	}
	return err
}

func (l *lateGets) count(peer uint64, err error) error {
	for _, g := range l.gets {
		if g.peer == peer && err == nil {
			l.overtaken.Add(1)
			break
		}
	}
	return err
}

func (l *lateGets) Send(peer uint64, mem []byte, r region, tag uint32) error {
	return l.count(peer, l.loop.Send(peer, mem, r, tag))
}

func (l *lateGets) Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	return l.count(peer, l.loop.Put(peer, mem, r, at, key, tag))
}

func (l *lateGets) Poll(into []event) (int, error) {
	n, err := l.loop.Poll(into)
	kept := 0
	for _, e := range into[:n] {
		if g := l.gets[e.tag]; g != nil && e.packet == nil {
			g.ended = &e
		} else {
			into[kept] = e
			kept++
		}
	}
	for tag, g := range l.gets {
		if g.looks--; g.ended != nil && g.looks < 0 && kept < len(into) {
			into[kept] = *g.ended
			kept++
			delete(l.gets, tag)
		}
	}
	return kept, err
}

// TestOrdered draws operations and looks. What is refused is tried again, all in turn, as the way does: nothing passes
// a get to the same end, and all end.
func TestOrdered(t *testing.T) {
	const peers, looks = 3, 5
	rapid.Check(t, func(t *rapid.T) {
		n, overtaken := &loopback{}, new(atomic.Int64)
		o := &ordered{fabric: n.openLate(looks, overtaken)}
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
		require.Zero(t, overtaken.Load())
	})
}

// TestGetsKeepNoSendWaiting begins a get with every look: a send gets its turn once those have ended that it met.
func TestGetsKeepNoSendWaiting(t *testing.T) {
	const looks = 5
	n, overtaken := &loopback{}, new(atomic.Int64)
	o := &ordered{fabric: n.openLate(looks, overtaken)}
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

// TestLateGetsAreOvertaken has jobs send frames that are fetched, over ends whose gets end late: only an ordered one
// holds back what is sent meanwhile.
func TestLateGetsAreOvertaken(t *testing.T) {
	for name, inOrder := range map[string]bool{"ordered": true, "bare": false} {
		t.Run(name, func(t *testing.T) {
			n, overtaken := &loopback{}, new(atomic.Int64)
			trouble(t, func() fabric {
				f := n.openLate(20, overtaken)
				if inOrder {
					return &ordered{fabric: f}
				}
				return f
			})
			require.Equal(t, inOrder, overtaken.Load() == 0)
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
