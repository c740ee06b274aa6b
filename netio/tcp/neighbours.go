package tcp

import (
	"math/bits"

	"github.com/activepebbles/pebbles/netio"
)

// These are the values of Connect in [Config].
const (
	ConnectAll  = "all"  // all with each other, at the start
	ConnectNeed = "need" // with neighbours at the start, and with others at the first frame to them
)

// allMost is the maximum number of processes that all connect with each other by default.
const allMost = 64

// neighbours returns the processes that a process connects with at the start: their numbers differ from its own in one
// bit. Reductions send to the same processes, if a process has one rank.
func neighbours(process, processes int) (all []int) {
	for bit := 1; bit < processes; bit <<= 1 {
		if other := process ^ bit; other < processes {
			all = append(all, other)
		}
	}
	return all
}

// near reports whether two processes are neighbours.
func near(a, b int) bool { return bits.OnesCount(uint(a^b)) == 1 }

// hop returns the next neighbour on the path from one process to another. It clears bits first, the highest first, and
// then sets bits, the lowest first, so each number on the path is below one of the two.
func hop(from, to int) int {
	if extra := from &^ to; extra != 0 {
		return from &^ (1 << (bits.Len(uint(extra)) - 1))
	}
	missing := to &^ from
	return from | missing&-missing
}

// first returns the streams to connect at the start; processes above this one dial theirs. This process dials the next
// lower one first, which spreads the first dials over the job.
func (t *Transport) first() (streams []*stream) {
	all, wanted := t.config.Connect == ConnectAll, make(map[int]bool)
	for _, process := range neighbours(t.place.Process, t.place.Processes) {
		wanted[process] = true
	}
	for process := t.place.Processes - 1; process >= 0; process-- {
		switch {
		case process == t.place.Process:
		case all:
			streams = append(streams, t.peer(process).streams[:]...)
		case wanted[process] || t.config.layer != nil && t.config.layer.Links(process):
			streams = append(streams, t.peer(process).streams[controlStream])
		}
	}
	return streams
}

// Notes implements [netio.Noter].
func (t *Transport) Notes(take func(process int, note []byte)) { t.notes.Store(&take) }

// Note implements [netio.Noter]. If not all processes are connected at the start, the note travels over neighbours.
func (t *Transport) Note(process int, text []byte) {
	if len(text) <= noteBytesMax && !t.down.Load() {
		t.toward(process).send(t.note(t.place.Process, process, text))
	}
}

func (t *Transport) note(from, to int, text []byte) *netio.Frame {
	f := message(note, string(text))
	f.From, f.To = uint32(from), uint32(to)
	return f
}

// toward returns the stream that takes notes for a process.
func (t *Transport) toward(process int) *stream {
	if t.config.Connect == ConnectNeed {
		process = hop(t.place.Process, process)
	}
	return t.peer(process).streams[controlStream]
}

// noted delivers a note for this process, or sends it on. It never waits.
func (t *Transport) noted(f *netio.Frame) {
	if int(f.To) != t.place.Process {
		t.toward(int(f.To)).sendLater(t.note(int(f.From), int(f.To), f.Payload()))
	} else if take := t.notes.Load(); take != nil {
		(*take)(int(f.From), f.Payload())
	}
}

// Abort implements [netio.Transport]. The reason is cut to 4 KiB. Each process passes it on (see spread).
func (t *Transport) Abort(reason string) {
	if t.aborted.Swap(true) {
		return
	}
	t.down.Store(true)
	for _, p := range t.others() {
		p.sent.close() // no acknowledgements are awaited any more
		for _, l := range p.streams {
			if !l.connected() {
				l.out.close() // it will not be connected any more
			}
		}
	}
	reason = reason[:min(len(reason), reasonBytesMax)]
	t.spread.tell(notice{origin: t.place.Process, reason: reason, lost: int(t.lost.Load()) - 1})
}

func (t *Transport) newSpread() *spread {
	s := &spread{process: t.place.Process, processes: t.place.Processes}
	s.open = func(process int) bool { p := t.peers.all[process].Load(); return p != nil && p.open() }
	s.gone = func(process int) bool { p := t.peers.all[process].Load(); return p != nil && p.gone() }
	s.send = func(next int, n *notice) {
		f := message(abort, n.reason)
		f.From, f.To, f.Tag = uint32(n.origin), uint32(n.to), uint32(n.by)
		f.Seq, f.Count = uint64(n.lost+1), uint32(n.hops)
		t.peer(next).streams[controlStream].send(f)
	}
	return s
}

// heard takes an abort message of a peer. It waits for streams' locks.
func (t *Transport) heard(n notice, from int) {
	first := t.spread.heard(n, from)
	if first && n.origin != t.place.Process {
		t.peer(n.origin).abort(&netio.AbortError{Process: n.origin, Reason: n.reason})
	}
}

// Connections implements [netio.Connected].
func (t *Transport) Connections() (n int) {
	for _, p := range t.others() {
		for _, l := range p.streams {
			if l.up.Load() {
				n++
			}
		}
	}
	return n
}
