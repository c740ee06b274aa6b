package netiotest

import (
	"fmt"
	"testing"

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

// Run proves all promises but for what is excepted, in jobs of several shapes. Random contents come from a seed, which
// is logged, and can be given back in the environment as PEBBLES_SEED.
func Run(t *testing.T, maker Maker, except ...Except) {
	shapes := []struct{ ranks, processes int }{{1, 1}, {3, 1}, {2, 2}, {5, 2}, {5, 3}}
	cases := []struct {
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
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, e := range except {
				if why, ok := e[c.name]; ok {
					t.Skip(why)
				}
			}
			for _, s := range shapes {
				t.Run(fmt.Sprintf("%d ranks in %d", s.ranks, s.processes), func(t *testing.T) {
					running := goleak.IgnoreCurrent()
					w := newWorld(t, maker(t, s.ranks, s.processes))
					t.Cleanup(func() { w.closeAll() }) // which a body that fails, or is skipped, does not come to
					c.body(w)
					w.close()
					goleak.VerifyNone(t, running)
				})
			}
		})
	}
}
