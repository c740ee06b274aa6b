package shm_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/internal/mux"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/shm"
	"github.com/activepebbles/pebbles/netio/tcp"
)

func TestShmConforms(t *testing.T) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		return netiotest.Interfaces(dialShm(t, netiotest.Configs(t, ranks, processes)))
	})
}

// TestMixedConforms runs three processes, where the last shares no memory, like one on another host. It tests only
// traffic between the two groups: each way alone keeps the other promises.
func TestMixedConforms(t *testing.T) {
	needMemory(t)
	netiotest.RunSome(t, func(t *testing.T, ranks, _ int) []netio.Transport {
		all := dialMixed(t, ranks)
		require.Equal(t, []string{"shm+tcp", "shm+tcp", "tcp"}, []string{all[0].Name(), all[1].Name(), all[2].Name()})
		return all
	}, "EveryFrameOnceAndUnchanged", "NoWakeUpIsLost", "FramesMayBeSentOn", "LossIsTold", "OneSidedDoesWhatATwinDoes",
		"FencesWaitForWhatCameBefore", "BadAddresses")
}

func needMemory(t testing.TB) {
	if runtime.GOOS != "linux" {
		t.Skip("this system has no nameless shared memory")
	}
}

// dialShm starts all processes of a job, which share memory although they are one process.
func dialShm(t testing.TB, cs []tcp.Config) []shm.Process {
	needMemory(t)
	return netiotest.StartAll(t, cs, func(_ int, c tcp.Config) (shm.Process, error) { return shm.Dial(t.Context(), c) })
}

func dialMixed(t testing.TB, ranks int) []netio.Transport {
	all, errs := dialBy(t.Context(), netiotest.Configs(t, ranks, 3), lastByTCP)
	for i, err := range errs {
		require.NoError(t, err)
		all[i] = killable{all[i].(*mux.Transport)}
	}
	return all
}

// pair starts two processes of one rank each that share memory. told gets the failures of the first.
func pair(t testing.TB) (all []shm.Process, told chan error) {
	all, told = dialShm(t, netiotest.Configs(t, 2, 2)), make(chan error, 4)
	all[0].Start(func(err error) { told <- err })
	all[1].Start(func(error) {})
	t.Cleanup(func() { _ = netiotest.CloseAll(all) })
	return all, told
}

// killable is a transport that tests can kill.
type killable struct{ *mux.Transport }

func (k killable) Kill() { k.Under(frame.Access{}).Kill() }

func lastByTCP(process int) string {
	if process == 2 {
		return connect.ByTCP
	}
	return connect.ByAuto
}

func dialBy(ctx context.Context, cs []tcp.Config, name func(process int) string) ([]netio.Transport, []error) {
	dial := func(i int, c tcp.Config) (netio.Transport, error) { return connect.Dial(ctx, c, name(i)) }
	return netiotest.TryAll(cs, dial)
}

func TestNamesOfTransports(t *testing.T) {
	needMemory(t)
	for _, c := range []struct {
		processes int
		by, is    string
	}{
		{1, connect.ByAuto, "tcp"}, {2, connect.ByAuto, "shm"}, {2, "", "shm"},
		{2, connect.ByTCP, "tcp"}, {2, connect.ByShm, "shm"},
	} {
		all, errs := dialBy(t.Context(), netiotest.Configs(t, 2, c.processes), func(int) string { return c.by })
		for i, err := range errs {
			require.NoError(t, err)
			require.Equal(t, c.is, all[i].Name())
		}
		_ = netiotest.CloseAll(all)
	}
	_, err := connect.Dial(t.Context(), netiotest.Configs(t, 2, 2)[0], "carrier pigeon")
	require.ErrorContains(t, err, `no transport has the name "carrier pigeon"; use auto, shm, ofi or tcp`)
}

// TestShmIsRefusedInWords asks for shared memory where one process offers none.
func TestShmIsRefusedInWords(t *testing.T) {
	needMemory(t)
	cs := netiotest.Configs(t, 3, 3)
	all, errs := dialBy(t.Context(), cs, func(process int) string {
		if process == 2 {
			return connect.ByTCP
		}
		return connect.ByShm
	})
	for _, err := range errs[:2] {
		require.ErrorContains(t, err, "share memory with process 2 ("+cs[2].Addresses[2]+")")
		require.ErrorContains(t, err, "use transport auto or tcp")
	}
	if all[2] != nil {
		_ = all[2].Close() // the others have ended the job
	}
}

// TestMappingsAreMutual starts a process without address space for some of the others' exposed memory. A process inside
// another one's memory marks that in its own, where the owner must see it. So two processes map each other's memory, or
// neither does.
func TestMappingsAreMutual(t *testing.T) {
	needMemory(t)
	for sees := range int64(3) {
		cs := netiotest.Configs(t, 3, 3)
		all := netiotest.StartAll(t, cs, func(_ int, c tcp.Config) (shm.Process, error) {
			if c.Place.Process == 1 {
				return shm.DialBlind(t.Context(), c, sees)
			}
			return shm.Dial(t.Context(), c)
		})
		require.Len(t, all[1].Sees(), int(sees))
		for i, p := range all {
			a, _, err := p.Port(i).OneSided().Expose(8)
			require.NoError(t, err)
			for j, q := range all {
				near, err := q.Port(j).OneSided().Near(a, 8)
				require.NoError(t, err)
				mutual := i == j || slices.Contains(p.Sees(), j) && slices.Contains(q.Sees(), i)
				require.Equal(t, mutual, near != nil, "memory of process %d at process %d", i, j)
			}
		}
		require.Equal(t, slices.Contains(all[0].Sees(), 1), slices.Contains(all[1].Sees(), 0))
		require.Equal(t, slices.Contains(all[2].Sees(), 1), slices.Contains(all[1].Sees(), 2))
		require.Contains(t, all[0].Sees(), 2)
		require.Contains(t, all[2].Sees(), 0)
		_ = netiotest.CloseAll(all)
	}
}

// TestNoRoomInSharedMemory fills one resource after the other. Frames without room go the other way, and all arrive.
func TestNoRoomInSharedMemory(t *testing.T) {
	const small, large = 8, 1000
	for _, c := range []struct {
		name         string
		bytes, count int
		kind         netio.Kind
		prepare      func(shm.Process)
		held, take   bool // hold frames; receive frames meanwhile
	}{
		{name: "ring", bytes: small, count: 3000, kind: netio.Control},
		{name: "ring, of data", bytes: large, count: 3000, kind: netio.Data},
		{name: "passages", bytes: small, count: shm.SharedMax + 1000, kind: netio.Data, held: true, take: true},
		{name: "arena", bytes: large, count: 100, kind: netio.Data, prepare: shm.Process.FillArena},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, _ := pair(t)
			if c.prepare != nil {
				c.prepare(all[0])
			}
			p, q := all[0].Port(0), all[1].Port(1)
			var held []*netio.Frame
			sum, got := 0, 0
			take := func() {
				for f := q.Recv(); f != nil; f = q.Recv() {
					got, sum = got+1, sum+int(f.Seq)
					if held = append(held, f); !c.held {
						f.Release()
					}
				}
			}
			for i := range c.count {
				f := netiotest.Frame(p, c.kind, 0, 1, c.bytes)
				f.Seq = uint64(i)
				p.Send(f)
				if c.take {
					take()
				}
			}
			for take(); got < c.count; take() {
				q.Wait(-1)
			}
			require.Equal(t, c.count*(c.count-1)/2, sum)
			crossed, detoured := all[0].Crossed()
			require.EqualValues(t, c.count, crossed+detoured)
			require.NotZero(t, detoured)
			switch c.name {
			case "arena":
				require.Zero(t, crossed)
			case "passages":
				require.EqualValues(t, shm.SharedMax, crossed)
			default:
				require.GreaterOrEqual(t, int(crossed), all[0].RingSlots())
			}
			for _, f := range held {
				if c.held {
					f.Release()
				}
			}
			for p.Pool().Lent() > 0 {
				q.Pause() // reports the releases
				p.Wait(time.Millisecond)
			}
		})
	}
}

// TestLyingProcessIsNamed writes invalid data into shared memory.
func TestLyingProcessIsNamed(t *testing.T) {
	for _, d := range []shm.Forged{
		{Kind: 0, Sender: 1, From: 1},
		{Kind: 7, Sender: 1, From: 1},
		{Kind: netio.Data, Sender: 1, From: 0},
		{Kind: netio.Data, Sender: 1, From: 2},
		{Kind: netio.Data, Sender: 1, From: math.MaxUint32},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 81},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 257, ByLocation: true, Class: 8},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: math.MaxUint32, ByLocation: true, Class: 31},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 100, ByLocation: true, Class: 7},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 100, ByLocation: true, Class: 32},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 100, ByLocation: true, Class: math.MaxUint32},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 100, ByLocation: true, Class: 8, Offset: 32},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 100, ByLocation: true, Class: 8, Offset: 1 << 63},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 100, ByLocation: true, Class: 8, Offset: math.MaxUint64 - 63},
		{Kind: netio.Data, Sender: 1, From: 1, Bytes: 100, ByLocation: true, Class: 8, Offset: math.MaxUint64}, // below
	} {
		t.Run(fmt.Sprintf("%+v", d), func(t *testing.T) {
			all, told := pair(t)
			if d.Offset == math.MaxUint64 { // the end of the arena, where less than a frame is left
				d.Offset = all[1].ArenaBytes() - 64
			}
			all[1].Forge(0, d)
			require.Nil(t, all[0].Port(0).Recv())
			err := <-told
			netiotest.RequireLost(t, err, 1)
			require.ErrorIs(t, err, netio.ErrDamaged)
		})
	}
}

// TestNamelessLie forges data that names no process.
func TestNamelessLie(t *testing.T) {
	for _, sender := range []uint32{0, 2, math.MaxUint32} {
		all, told := pair(t)
		all[1].Forge(0, shm.Forged{Kind: netio.Data, Sender: sender})
		require.Nil(t, all[0].Port(0).Recv())
		require.ErrorIs(t, <-told, netio.ErrDamaged)
	}
}

func TestForgedReleaseIsRefused(t *testing.T) {
	for _, c := range []struct {
		process int
		passage uint32
		named   bool
	}{{1, 1, true}, {1, 1 << 20, true}, {0, 0, false}, {5, 0, false}} {
		all, told := pair(t)
		p := all[0].Port(0)
		netiotest.Send(p, 0, 1, 1000) // the only frame in flight, number 0
		all[1].ForgeRelease(0, c.process, c.passage)
		p.Pool().Lent() // looks for releases
		err := <-told
		require.ErrorIs(t, err, netio.ErrDamaged)
		if c.named {
			netiotest.RequireLost(t, err, 1)
		}
	}
}

// TestTrimGivesPagesBack fills frames with ones: freed pages read as zero when they are lent again.
func TestTrimGivesPagesBack(t *testing.T) {
	const bytes = 1 << 20
	all, _ := pair(t)
	pool := all[0].Port(0).Pool()
	f := pool.Get(bytes)
	for i := range f.Space() {
		f.Space()[i] = 0xff
	}
	used := all[0].ArenaUsed()
	require.GreaterOrEqual(t, used, bytes)
	f.Release()
	pool.Trim()
	g := pool.Get(bytes)
	require.Equal(t, used, all[0].ArenaUsed(), "what was given back is lent again")
	zero := 0
	for _, b := range g.Space() {
		if b == 0 {
			zero++
		}
	}
	require.Greater(t, zero, bytes-128<<10, "all but what shares pages with others")
	g.Release()
}

// TestAbandonedMemoryIsNotLentAgain loses a process that may still be reading its frames.
func TestAbandonedMemoryIsNotLentAgain(t *testing.T) {
	all, told := pair(t)
	p := all[0].Port(0)
	f := netiotest.Frame(p, netio.Data, 0, 1, 1000)
	shown := f.Base()
	p.Send(f)
	seen := netiotest.Next(all[1].Port(1))
	all[1].Kill()
	netiotest.RequireLost(t, <-told, 1)
	for p.Pool().Lent() > 0 {
		p.Wait(time.Second)
	}
	for range 4 {
		require.NotEqual(t, shown, p.Pool().Get(1000).Base())
	}
	seen.Release()
}

// TestFramesOutliveTheTransport reads and releases frames of a transport that has closed.
func TestFramesOutliveTheTransport(t *testing.T) {
	p, mine, got := endedJob(t)
	runtime.GC()
	require.Len(t, got.Payload(), 1000)
	got.Space()[999]++
	mine.Space()[0]++
	got.Release()
	mine.Release()
	require.Nil(t, p.Recv())
	require.Zero(t, p.Pool().Lent())
}

// endedJob returns the remains of an ended job: a port, a frame of its pool, and a frame received elsewhere.
func endedJob(t *testing.T) (p netio.Port, mine, got *netio.Frame) {
	all := dialShm(t, netiotest.Configs(t, 2, 2))
	defer netiotest.CloseAll(all)
	p = all[0].Port(0)
	mine = p.Pool().Get(1000)
	netiotest.Send(p, 0, 1, 1000)
	return p, mine, netiotest.Next(all[1].Port(1))
}

// TestNothingIsLeftOfSharedMemory counts descriptors, mappings and files. Garbage collections end mappings without
// references, on a goroutine of the runtime. Their number is not specified.
func TestNothingIsLeftOfSharedMemory(t *testing.T) {
	needMemory(t)
	collected := func() bool {
		runtime.GC()
		return ofMemory(t) == 0
	}
	netiotest.Eventually(t, "end the mappings of earlier tests", collected)
	before := count(t, "/proc/self/fd")
	job := func() {
		all := dialShm(t, netiotest.Configs(t, 5, 3))
		defer netiotest.CloseAll(all)
		require.Equal(t, 18, ofMemory(t), "each process maps the frames and the exposed memory of all three")
		require.NotContains(t, read(t, "/proc/self/maps"), "/dev/shm/", "the memory has no name")
		for _, tr := range all {
			tr.Port(tr.Place().First).Pool().Get(1000).Release()
		}
	}
	for range 3 {
		job()
		netiotest.Eventually(t, "end the job's mappings", collected)
	}
	netiotest.Eventually(t, "close all descriptors", func() bool { return count(t, "/proc/self/fd") == before })
}

func ofMemory(t *testing.T) int { return strings.Count(read(t, "/proc/self/maps"), "/memfd:pebbles") }

func read(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

func count(t *testing.T, dir string) int {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	return len(entries)
}
