package netiotest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/netio"
)

// Killer is an optional interface of a transport under test: Kill ends it like the death of its process, without a
// goodbye. Its own failures after that are ignored.
type Killer interface{ Kill() }

// Doer is an optional interface of a port under test whose rank runs elsewhere: Do runs part there, with a port for it,
// and returns when part has returned.
type Doer interface {
	Do(part func(netio.Port))
}

// Lender is an optional interface of a transport under test. The suite calls it after Close.
type Lender interface {
	Received() int64     // bytes of unreleased received frames
	ReceivedPeak() int64 // maximum bytes of received frames at any time, in use or not
}

// Maker makes the transports of one job, one for each process, connected and not started. It skips the test if the
// transport cannot have that number of processes.
type Maker func(t *testing.T, ranks, processes int) []netio.Transport

// Except maps tests that make no sense for a transport to the reason.
type Except map[string]string

// shape is the number of ranks and of processes of a job.
type shape struct{ ranks, processes int }

// shapes cover the cases that change a way: ranks that share a process, one rank alone in each, and processes with more
// ranks than others among several.
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

// Run tests all promises except the excepted ones, in jobs of several shapes. Random contents come from a seed, which
// is logged. The environment variable PEBBLES_SEED sets it.
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

// RunLargest is Run for jobs of the largest shape only: for another way of a transport that has passed [Run].
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

// RunSome tests some promises in jobs of the largest shape: for another way of a transport that has passed [Run], where
// only these promises may break.
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
		t.Cleanup(func() { w.closeAll() }) // for a body that fails or is skipped
		body(w)
		w.close()
		goleak.VerifyNone(t, running)
	})
}
