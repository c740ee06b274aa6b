package idle

import (
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Policy controls the waiting of ranks that share memory with other processes, by the number of ranks that share the
// cores. A rank with its own core only looks: a yield would cost more than a frame takes, and would wake idle threads
// that take the core from another process. Ranks that outnumber the cores of their process yield to each other. Ranks
// that outnumber the cores of the host yield to other processes.
type Policy struct {
	Looks        int           // of one poll
	CollectEvery int           // polls of a Wait between two looks for returned frames
	Min, Max     int           // of a rank's spin limit: idle polls before it parks
	Ranks        uint32        // polls between two yields to ranks of this process
	Processes    uint32        // polls between two yields to other processes; 0 means never
	Yield        func()        // to other processes
	Pause        time.Duration // longest time that a rank parks in a pause
}

// PauseFor returns the longest time that a rank parks in a pause, on a host of this number of ranks. Their wake-ups
// leave the cores half of their time.
func PauseFor(onHost int) time.Duration {
	return max(PauseMin, time.Duration(onHost/runtime.NumCPU())*PauseEach)
}

// PolicyFor returns the policy of a process with here of the onHost ranks on this host.
func PolicyFor(here, onHost int) Policy {
	p := Policy{
		Looks: SpinLooks, CollectEvery: SpinCollectEvery, Min: SpinMin, Max: SpinMax, Ranks: SpinSchedEvery, Yield: cpu.Yield,
		Pause: PauseFor(onHost),
	}
	if here > runtime.GOMAXPROCS(0) {
		p.Looks, p.Ranks = 1, 1
	}
	if onHost > runtime.NumCPU() {
		p.Looks, p.CollectEvery, p.Max = 1, 1, SharedSpinMax
		p.Processes = uint32(min(here, runtime.GOMAXPROCS(0)))
	}
	return p
}

// YieldAsOverTCP adds yields for ranks whose looks take as long as a yield.
func (p *Policy) YieldAsOverTCP() {
	if p.Processes == 0 {
		p.Processes = CoreYieldEvery
	}
}

// Learn returns a rank's spin limit after a sleep. Beside other work, polling for a descheduled rank does not pay.
func (p *Policy) Learn(limit int, slept time.Duration) int {
	if slept < SleepShort {
		return min(2*limit, p.Max)
	}
	return max(limit/2, p.Min)
}
