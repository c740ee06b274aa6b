package netiotest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
)

// Killer is what a transport under test may offer besides: Kill ends it as the death of its process would, without a
// goodbye. Its own failures after that don't matter.
type Killer interface{ Kill() }

// Doer is what a port under test may offer besides when its rank has a place of its own to run at: Do lets part run
// there, with a port for it, and returns when it has.
type Doer interface {
	Do(part func(netio.Port))
}

// Lender is what a transport under test may offer besides. It is asked after Close.
type Lender interface {
	Received() int64     // bytes of received frames that were not released
	ReceivedPeak() int64 // the most bytes of received frames that it ever had at once, in use or not
}

// Maker makes the transports of one job, one for each process, connected and not started. It skips the test when the
// transport can't have so many processes.
type Maker func(t *testing.T, ranks, processes int) []netio.Transport

// Except names tests that make no sense for a transport, and says why.
type Except map[string]string

// shape is how many ranks and processes a job has.
type shape struct{ ranks, processes int }

// shapes are few, and have what changes a way: ranks that share a process, one rank alone in each, and processes with
// more ranks than others among several.
var shapes = []shape{{3, 1}, {2, 2}, {5, 3}}

// cases are the tests of the suite.
var cases = []struct {
	name string
	body func(*world)
}{
	{"Places", places},
	{"EveryFrameOnceAndUnchanged", everyFrame},
	{"ManyToOne", manyToOne},
	{"ControlPassesStuckData", controlPasses},
	{"WakeIsNotLost", wakeIsNotLost},
	{"NoWakeUpIsLost", pingPong},
	{"RanksMayOnlyPause", pausing},
	{"ReleaseByOthers", releaseByOthers},
	{"SendersAreHeldBack", backpressure},
	{"ChargeLastsUntilRelease", chargeLasts},
	{"FramesMayBeSentOn", sentOn},
	{"CreditsBoundWhatIsHeld", credits},
	{"CloseInOrder", closeInOrder},
	{"AbortIsTold", abortIsTold},
	{"LossIsTold", lossIsTold},
	{"CloseWithFramesInFlight", closeWithFramesInFlight},
	{"AbortWithFramesInFlight", abortWithFramesInFlight},
	{"LossWithFramesInFlight", lossWithFramesInFlight},
	{"LateFramesAreReleased", lateFrames},
	{"SteadyStateAllocatesNothing", steadyState},
	{"OneSidedDoesWhatATwinDoes", oneSidedTwin},
	{"OneSidedBursts", oneSidedBursts},
	{"WordsAreAtomic", atomicWords},
	{"LongPutsTearNoWord", longPuts},
	{"OwnerNeedNotAttend", ownerNeedNotAttend},
	{"FencesOrder", fenced},
	{"FencesWaitForWhatCameBefore", fencesWait},
	{"WithdrawalInMidFlight", withdrawn},
	{"BadAddresses", badAddresses},
	{"FloodOfOperations", operationFlood},
	{"LossEndsOperations", lossEndsOperations},
	{"OneSidedAllocatesNothing", oneSidedSteadyState},
}

// Run proves all promises but for what is excepted, in jobs of several shapes. Random contents come from a seed, which
// is logged, and can be given back in the environment as PEBBLES_SEED.
func Run(t *testing.T, maker Maker, except ...Except) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range except {
				if why, ok := e[c.name]; ok {
					t.Skip(excepted + why)
				}
			}
			for _, s := range shapes {
				s.run(t, maker, c.body)
			}
		})
	}
}

// RunLargest is Run in jobs of the largest shape alone: for another way of a transport that has passed [Run].
func RunLargest(t *testing.T, maker Maker, except Except) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if why, ok := except[c.name]; ok {
				t.Skip(excepted + why)
			}
			shapes[len(shapes)-1].run(t, maker, c.body)
		})
	}
}

// excepted begins the reasons of skipped tests. .ci/tests allows these.
const excepted = "excepted for this transport: "

// RunSome proves some promises in jobs of the largest shape: for another way of a transport that has passed [Run],
// whose promises may break where it parts from that.
func RunSome(t *testing.T, maker Maker, names ...string) {
	found := 0
	for _, c := range cases {
		if slices.Contains(names, c.name) {
			found++
			t.Run(c.name, func(t *testing.T) { shapes[len(shapes)-1].run(t, maker, c.body) })
		}
	}
	require.GreaterOrEqual(t, found, max(1, len(names)), "each name is that of a test")
}

func (s shape) run(t *testing.T, maker Maker, body func(*world)) {
	t.Run(fmt.Sprintf("%d ranks in %d", s.ranks, s.processes), func(t *testing.T) {
		running := goleak.IgnoreCurrent()
		w := newWorld(t, maker(t, s.ranks, s.processes))
		t.Cleanup(func() { w.closeAll() }) // which a body that fails, or is skipped, does not come to
		body(w)
		w.close()
		goleak.VerifyNone(t, running)
	})
}
