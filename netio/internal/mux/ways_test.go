package mux

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
	"github.com/activepebbles/pebbles/netio/internal/way"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestWaysConform has two faster ways. The first links only processes 0 and 1; both refuse some frames. It tests the
// promises that could break where frames of one rank take several ways. The ways themselves pass the whole suite.
func TestWaysConform(t *testing.T) {
	netiotest.RunSome(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		all, _ := dialByRoads(t, netiotest.Configs(t, ranks, processes), alleyAndRoad)
		return netiotest.Interfaces(all)
	},
		"Places", "EveryFrameOnceAndUnchanged", "ControlPassesStuckData", "WakeIsNotLost", "NoWakeUpIsLost",
		"ReleaseByOthers", "FramesMayBeSentOn", "CreditsBoundWhatIsHeld", "CloseInOrder", "AbortIsTold",
		"LossWithFramesInFlight", "LateFramesAreReleased", "SteadyStateAllocatesNothing", "OneSidedBursts")
}

func alleyAndRoad(c *way.Config) []*road {
	return []*road{newRoad(c, "alley", fmt.Sprint("block ", c.Place.Process/2), 3), newRoad(c, "road", "town", 2)}
}

// Kill ends the transport like the death of its process.
func (t *Transport) Kill() { t.Under(access).Kill() }

// dialByRoads starts all processes of a job, and returns the roads of each.
func dialByRoads(t testing.TB, cs []tcp.Config, roads func(*way.Config) []*road) ([]*Transport, [][]*road) {
	built := make([][]*road, len(cs))
	dial := func(i int, c tcp.Config) (*Transport, error) { return dialOver(t, c, roads, &built[i]) }
	return netiotest.StartAll(t, cs, dial), built
}

func dialOver(t testing.TB, c tcp.Config, roads func(*way.Config) []*road, built *[]*road) (*Transport, error) {
	return Dial(t.Context(), c, func(c *way.Config) (ways []way.Way, err error) {
		*built = roads(c)
		for _, r := range *built {
			ways = append(ways, r)
		}
		return ways, nil
	})
}

// TestNamesOfWays requires that a name lists the linking ways, and TCP if these do not link all processes.
func TestNamesOfWays(t *testing.T) {
	for _, c := range []struct {
		processes int
		roads     func(*way.Config) []*road
		names     []string
	}{
		{1, alleyAndRoad, []string{"tcp"}},
		{2, alleyAndRoad, []string{"alley+road", "alley+road"}},
		{3, alleyAndRoad, []string{"alley+road", "alley+road", "road"}},
		{3, func(c *way.Config) []*road { return alleyAndRoad(c)[:1] }, []string{"alley+tcp", "alley+tcp", "tcp"}},
		{2, func(*way.Config) []*road { return nil }, []string{"tcp", "tcp"}},
	} {
		all, built := dialByRoads(t, netiotest.Configs(t, c.processes, c.processes), c.roads)
		var names []string
		for _, tr := range all {
			names = append(names, tr.Name())
		}
		require.Equal(t, c.names, names)
		_ = netiotest.CloseAll(all)
		requireClosed(t, built...)
	}
}

func requireClosed(t *testing.T, built ...[]*road) {
	for _, roads := range built {
		for _, r := range roads {
			require.EqualValues(t, 1, r.closed.Load(), "%s is closed once", r.offer.Address)
		}
	}
}

// TestFramesTakeTheFirstWayWithRoom counts the frames of each way: the alley refuses every third, the road every second
// of these, and TCP takes the rest.
func TestFramesTakeTheFirstWayWithRoom(t *testing.T) {
	const frames = 600
	all, built := dialByRoads(t, netiotest.Configs(t, 2, 2), alleyAndRoad)
	p, q := all[0].Port(0), all[1].Port(1)
	sum := 0
	for i := range frames {
		p.Send(numbered(p, i))
	}
	for range frames {
		f := netiotest.Next(q)
		sum += int(f.Seq)
		f.Release()
	}
	require.Equal(t, frames*(frames-1)/2, sum)
	for i, want := range [][2]int{{frames, frames * 2 / 3}, {frames / 3, frames / 6}} {
		asked, taken := built[0][i].counts()
		require.Equal(t, want, [2]int{asked, taken}, built[0][i].name)
	}
	_ = netiotest.CloseAll(all)
}

// looked reports whether TCP has brought a whole frame to the first rank, after a look at sockets.
func looked(t *Transport) bool {
	p := t.ends[0].(*port)
	p.Inside(access).Look() // also true for a part of a frame
	return p.Has()
}

// looks returns the number of the first rank's looks at sockets.
func looks(t *Transport) int { return int(t.ends[0].(*port).Inside(access).Looks()) }

func numbered(p netio.Port, i int) *netio.Frame {
	f := p.Pool().Get(1000)
	f.Kind, f.To, f.Bytes, f.Seq = netio.Data, 1, 1000, uint64(i)
	return f
}

// TestNoWayStarves queues frames on both ways and on TCP: the next few frames include some of each.
func TestNoWayStarves(t *testing.T) {
	const frames, few = 600, 12
	all, _ := dialByRoads(t, netiotest.Configs(t, 2, 2), alleyAndRoad)
	p, q := all[0].Port(0), all[1].Port(1)
	for i := range frames {
		p.Send(numbered(p, i))
	}
	p.Pause() // writes the frames for TCP
	require.Eventually(t, func() bool { return looked(all[1]) }, time.Minute, time.Millisecond, "TCP brings its share")
	came := map[string]int{}
	for range few {
		f := q.Recv()
		switch {
		case f.Seq%3 != 2:
			came["alley"]++
		case f.Seq%6 == 2:
			came["road"]++
		default:
			came["tcp"]++
		}
		f.Release()
	}
	require.Len(t, came, 3, "%v", came)
	_ = netiotest.CloseAll(all)
}

// TestStartWithoutAWay fails to open ways, or to meet on one. All open ways are closed.
func TestStartWithoutAWay(t *testing.T) {
	broken := errors.New("the bridge is down")
	t.Run("open", func(t *testing.T) {
		c := netiotest.Configs(t, 1, 1)[0]
		_, err := Dial(t.Context(), c, func(*way.Config) ([]way.Way, error) { return nil, broken })
		require.ErrorIs(t, err, broken)
		_, err = c.Listener.Accept()
		require.Error(t, err, "the listener is closed")
	})
	t.Run("meet", func(t *testing.T) {
		cs := netiotest.Configs(t, 2, 2)
		built := make([][]*road, 2)
		_, errs := netiotest.TryAll(cs, func(i int, c tcp.Config) (*Transport, error) {
			return dialOver(t, c, func(c *way.Config) []*road {
				roads := alleyAndRoad(c)
				roads[i].unmet = broken
				return roads
			}, &built[i])
		})
		for _, err := range errs {
			require.ErrorContains(t, err, broken.Error()) // its own, or that of the other process
		}
		requireClosed(t, built...)
	})
}

// TestWaitSeesWhatComesBack requires that a frame that returns while a rank pauses ends its Wait within a few pauses,
// whether another process or this one has released it.
func TestWaitSeesWhatComesBack(t *testing.T) {
	for name, crowd := range map[string]int{"own core": 1, "shared cores": 1000} {
		for _, released := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, released there %v", name, released), func(t *testing.T) {
				const when = 3 // fruitless pauses before the release
				all, _ := dialByRoads(t, netiotest.Configs(t, 2, 2), openRoad)
				defer netiotest.CloseAll(all)
				p, q := all[0].Port(0), all[1].Port(1)
				f := numbered(p, 0)
				back := func() { f.Release() } // like the reader of an acknowledgement
				if released {
					p.Send(f)
					got := netiotest.Next(q)
					back = func() { got.Release() }
				}
				policy := &all[0].policy
				*policy = idle.PolicyFor(1, crowd)
				policy.Processes = 1
				pauses := 0
				policy.Yield = func() {
					if pauses++; pauses == when {
						back()
					}
				}
				for pauses < when { // a Wait ends early if its pauses take long, as beside a load
					p.Wait(time.Millisecond)
				}
				require.Zero(t, p.Pool().Lent())
				require.LessOrEqual(t, pauses, when+policy.CollectEvery)
			})
		}
	}
}

// TestSocketsAreLookedAtForOperations requires that a rank with a way to all others seldom looks at sockets, but at
// each turn while its own operation is in flight there.
func TestSocketsAreLookedAtForOperations(t *testing.T) {
	all, _ := dialByRoads(t, netiotest.Configs(t, 2, 2), openRoad)
	defer netiotest.CloseAll(all)
	p, q := all[0].Port(0), all[1].Port(1)
	address, _, err := q.OneSided().Expose(8)
	require.NoError(t, err)
	turn := func() {
		require.Nil(t, p.Recv())
		p.Pause()
	}
	for range 100 {
		turn()
	}
	require.LessOrEqual(t, looks(all[0]), 10)
	for range 3 {
		var c netio.Completion
		p.OneSided().Add(address, 1, nil, &c)
		before, turns := looks(all[0]), 0
		for ; !c.Done(); turns++ {
			turn()
		}
		require.NoError(t, c.Err())
		require.GreaterOrEqual(t, looks(all[0])-before, turns-1)
	}
}

func openRoad(c *way.Config) []*road { return []*road{newRoad(c, "road", "town", 0)} }

// TestEffortBesideALoad requires that a rank beside a load gives its core away in few of its waits: each time, the core
// is gone for a slice of the scheduler. On a quiet machine it does so up to 2,048 times. The load is simulated: a yield
// returns at the end of a slice.
func TestEffortBesideALoad(t *testing.T) {
	const rounds, slice, polls = 200, 2 * idle.StreakMax, 8
	all, _ := dialByRoads(t, netiotest.Configs(t, 2, 2), openRoad)
	defer netiotest.CloseAll(all)
	policy := &all[0].policy
	*policy = idle.PolicyFor(1, 1000)
	yields := 0
	policy.Yield = func() {
		if yields++; yields <= 2*rounds { // with more, the test has failed and may end
			time.Sleep(slice)
		}
	}
	p, q := all[0].Port(0), all[1].Port(1)
	waits := effort(p, q, rounds, polls)
	require.LessOrEqual(t, yields, rounds/2)
	require.LessOrEqual(t, waits, 10*rounds)
}

// effort lets p send to a partner that is busy with other work, and wait for each frame to return.
func effort(p, q netio.Port, rounds, polls int) (waits int) {
	var releases sync.WaitGroup
	defer releases.Wait()
	for range rounds {
		p.Send(numbered(p, 0))
		p.Pause()
		f := netiotest.NextBy(q, func(netio.Port) {})
		releases.Go(func() {
			time.Sleep(time.Millisecond)
			f.Release()
		})
		for idle := 0; p.Pool().Lent() > 0; idle++ {
			if idle < polls {
				p.Pause()
				continue
			}
			p.Wait(time.Minute)
			waits++
		}
	}
	return waits
}
