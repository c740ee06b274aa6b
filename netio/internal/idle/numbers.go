package idle

import "time"

// Numbers for a rank of a job within one process.
const (
	// MemLooks bounds the looks in one pause of a rank with its own core. Each idle pause adds one look, up to this
	// number, which takes about 200 ns.
	MemLooks = 64
	// MemYieldEvery is the number of its pauses for each yield to the Go scheduler, whose locks all cores share.
	MemYieldEvery = 8
)

// Numbers for a rank that shares memory with other processes. A look takes about 2 ns. A yield to other processes takes
// 0.5 to 1 µs when none wants the core.
const (
	// SpinLooks is the number of looks in one poll of a rank with its own core.
	SpinLooks = 40
	// SpinMax polls of 40 looks take about 1.5 ms. Ranks that compute between barriers wait for each other by as much
	// as the processors of a virtual machine differ, and a rank that sleeps there also loses its processor's caches.
	// With 50 µs, red-black SOR was no faster in two processes than in one.
	SpinMax = 16384
	// SpinMin lets a rank that always slept long discover that polling pays again.
	SpinMin = 8
	// SharedSpinMax polls of one look and a yield take a millisecond or two: where cores are shared, each of the other
	// ranks may have work to do first.
	SharedSpinMax = 2048
	// SpinCollectEvery is the number of polls for each look for returned frames where polls only look, since each such
	// look may take a cache line from a releasing rank. Polls that yield, which cost a hundred times as much, always
	// look for them.
	SpinCollectEvery = 8
	// SpinSchedEvery is the number of polls for each turn of the Go scheduler. Where ranks outnumber the cores of the
	// process, each poll gives it a turn.
	SpinSchedEvery = 64
	// SleepShort is less than a rank's longest poll. A rank that slept for less should have stayed awake.
	SleepShort = time.Millisecond
	// LookAsideEvery is the number of calls of Recv for each look at sockets when all peers share memory. A look at
	// sockets takes longer than a frame's whole way through shared memory, and the poller also looks at them.
	LookAsideEvery = 64
	// FreshLooks is the number of consecutive fruitless looks after which LookAsideEvery holds again, once a look has
	// found something. Operations on words come by sockets where a fabric has none, at intervals of some microseconds.
	FreshLooks = 256
)

// Numbers for a rank whose frames travel over TCP. A rank that only yields keeps its processor busy.
const (
	// ParkEvery is the number of pauses for each pause that parks until something arrives. Where goroutines serve the
	// connections, the Go scheduler polls these only when it finds nothing else to run, or every 10 ms.
	ParkEvery = 16
	// PauseMin is the longest time that a rank parks in a pause where few share a core.
	PauseMin = time.Millisecond
	// PauseEach is that time for each rank of the core, where there are many. A rank's wake-up and its look take the
	// core about 50 µs.
	PauseEach = 100 * time.Microsecond
	// CoreYieldEvery is the number of pauses for each yield to other processes, which may share this rank's processor.
	CoreYieldEvery = 4
	// SchedYieldEvery is the number of pauses for each yield to other goroutines of this process. These have processors
	// unless ranks take all. Each yield wakes a thread, which looks for work and finds this rank.
	SchedYieldEvery = 1024
	// SocketLookEvery is the number of fruitless calls of Recv for each look at sockets, for a rank that does not pause
	// between them. Such a rank is busy sending, and reads and acknowledges many frames at a time.
	SocketLookEvery = 8
	// AllSocketsEvery is the number of looks for each one that asks which sockets have data, while the rank continues
	// to look and one other process has written on a single socket. The other looks poll that socket.
	AllSocketsEvery = 8
)

// Numbers for streaks of idle polls that take long.
const (
	// StreakMax is longer than one slice of Linux on few cores (3 ms), within which a rank of the same job may answer.
	// It is also longer than the most polls in a row on a quiet machine: 2,048, of less than 2 µs each.
	StreakMax = 4 * time.Millisecond
	// SkipMin is the number of streaks after a long one that end immediately. It doubles each time that the next streak
	// is long again. A sleep and its wake-up take about 20 µs: SkipMin times that is a twentieth of StreakMax, for
	// ranks whose answer would have come sooner.
	SkipMin = 8
	// SkipMax limits long streaks to a few times the sleeps between them, on a machine that stays busy.
	SkipMax = 64
)

// Numbers for the poller of a process, which polls its sockets while its ranks do not.
const (
	// PollerLooksMin is the number of ranks' looks, while the poller watches or sleeps, that make it sleep (again).
	PollerLooksMin = 8
	// PollerDrainMax is the number of consecutive looks of the poller at sockets.
	PollerDrainMax = 64
	// PollerSleep is the time for which the Go scheduler ignores sockets while goroutines keep it busy. Where processes
	// share processors, each wake-up takes a processor from another process, and ranks without one for a moment count
	// as ranks that do not look.
	PollerSleep = 10 * time.Millisecond
)
