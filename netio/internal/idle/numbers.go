package idle

import "time"

// A rank of a job within one process.
const (
	// MemLooks bounds the looks in one pause of a rank with a core of its own. The rank looks once more with each idle
	// pause, up to this number, which takes some 200 ns.
	MemLooks = 64
	// MemYieldEvery is how many of its pauses there are to one that yields to the Go scheduler, whose locks are those
	// of all cores.
	MemYieldEvery = 8
)

// A rank that shares memory with other processes. A look takes some 2 ns, a yield to other processes 0.5 to 1 µs when
// none wants the core.
const (
	// SpinLooks is the looks of one poll of a rank with a core for itself.
	SpinLooks = 40
	// SpinMax polls of 40 looks are some 1.5 ms. Ranks that compute between barriers wait for each other by as much as
	// the processors of a virtual machine differ, and one that sleeps there loses the caches of its processor too: with
	// 50 µs, two processes gained nothing by SOR, as lab/pages/run measures it.
	SpinMax = 16384
	// SpinMin lets a rank that always slept long find out that polling pays again.
	SpinMin = 8
	// SharedSpinMax polls of one look and a yield are a millisecond or two: where cores are shared, each of the other
	// ranks may have something to do first.
	SharedSpinMax = 2048
	// SpinCollectEvery: frames that came back are looked for once in 8 polls of looks only, since each may take a cache
	// line from whoever releases. Where polls yield, which costs a hundred times as much, each poll looks for them.
	SpinCollectEvery = 8
	// SpinSchedEvery polls, the Go scheduler may run other goroutines; in each poll where ranks outnumber the cores of
	// the process.
	SpinSchedEvery = 64
	// SleepShort is less than the longest poll of a rank. A rank that slept for less should have stayed awake.
	SleepShort = time.Millisecond
	// LookAsideEvery is how many calls of Recv there are to one that looks at sockets when all peers share memory: a
	// look at sockets takes longer than a frame's whole way through shared memory, and the poller looks at them too.
	LookAsideEvery = 64
	// FreshLooks is how many looks in a row find nothing until that holds again, after one that has found something:
	// operations on words come by sockets where a fabric has none, each some microseconds after the one before.
	FreshLooks = 256
)

// A rank whose frames travel over TCP. A rank that only yields keeps its processor busy.
const (
	// ParkEvery: where goroutines serve the connections, the Go scheduler looks at these when it finds nothing else to
	// run, or every 10 ms. So every so many pauses the rank parks until something arrives.
	ParkEvery = 16
	// PauseMax is the longest that a rank parks in a pause.
	PauseMax = time.Millisecond
	// CoreYieldEvery is how many pauses there are to one that lets other processes run, whose ranks may share this
	// rank's processor.
	CoreYieldEvery = 4
	// SchedYieldEvery is how many pauses there are to one that lets other goroutines of this process run. These have
	// processors unless ranks take all: to let them run wakes a thread each time, which looks for something to do, and
	// finds this rank.
	SchedYieldEvery = 1024
	// SocketLookEvery is how many calls of Recv that find nothing there are to one that looks at sockets, for a rank
	// that does not pause between them. It is busy sending, and reads and acknowledges many frames at a time.
	SocketLookEvery = 8
	// AllSocketsEvery is how many looks of a rank that goes on to look there are to one that asks which sockets have
	// something, where one other process has written on one socket alone: the others ask that socket.
	AllSocketsEvery = 8
)

// Streaks of idle polls that take long.
const (
	// StreakMax is longer than one slice of Linux on few cores (3 ms), in which a rank of the same job may answer, and
	// than the most polls in a row on a quiet machine: 2,048, of less than 2 µs.
	StreakMax = 4 * time.Millisecond
	// SkipMin streaks after a long one end at once, and twice as many each time that the next one is long again. To
	// sleep and be woken takes some 20 µs: SkipMin times that is a twentieth of StreakMax, for ranks that would have
	// had their answer sooner.
	SkipMin = 8
	// SkipMax: long streaks take at most a few times as long as the sleeps between them, on a machine that stays busy.
	SkipMax = 64
)

// The poller of a process, which looks after its sockets while its ranks don't.
const (
	// PollerLooksMin is how many looks of ranks, while the poller watches or during its sleep, make it sleep (again).
	PollerLooksMin = 8
	// PollerDrainMax is how many looks at sockets the poller takes in a row.
	PollerDrainMax = 64
	// PollerSleep is as long as the Go scheduler leaves sockets alone while goroutines keep it busy. Where processes
	// share processors, each waking takes one from another process; and ranks that have had none for a moment count as
	// ranks that don't look.
	PollerSleep = 10 * time.Millisecond
)
