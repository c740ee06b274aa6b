package netio

// Kill ends the transport as the death of its process would: connections break without a goodbye.
func (t *TCP) Kill() {
	t.down.Store(true)
	for _, p := range t.peers {
		if p != nil {
			p.end(nil)
		}
	}
}

// Received is the bytes of received frames that were not released. It is for after Close.
func (t *TCP) Received() (lent int64) {
	for _, p := range t.peers {
		for i := 0; p != nil && i < laneCount; i++ {
			lent += p.lanes[i].received.pool.Lent()
		}
	}
	return lent
}

// ReceivedPeak is the most bytes of received frames that there ever were, on the lane that had most. It is for after Close.
func (t *TCP) ReceivedPeak() (peak int64) {
	for _, p := range t.peers {
		for i := 0; p != nil && i < laneCount; i++ {
			peak = max(peak, p.lanes[i].received.pool.Peak())
		}
	}
	return peak
}

// Kill ends the transport as the death of its process would.
func (t *Shm) Kill() { t.tcp.Kill() }

// Crossed is how many frames a rank's port has sent through shared memory, and Detoured how many that should have gone there
// and found no room.
func (t *Shm) Crossed() (crossed, detoured uint64) {
	for _, p := range t.ports {
		crossed, detoured = crossed+p.crossings, detoured+p.detours
	}
	return crossed, detoured
}

// Forged is a descriptor as a process that lies would write it.
type Forged struct {
	Kind         Kind
	From, Sender uint32
	Bytes        uint32
	ByReference  bool
	Offset       uint64
	Class        uint32
}

// Forge writes a descriptor into the ring of a rank of another process.
func (t *Shm) Forge(to int, d Forged) {
	link := t.linkTo(to)
	lane := &link.lanes[to-link.place.First]
	ticket, _ := lane.ring.draw(&lane.seen)
	s := lane.ring.at(ticket)
	s.write(&Header{Kind: d.Kind, From: d.From, Bytes: d.Bytes}, d.Sender, noPassage)
	if d.ByReference {
		s.refer(place{d.Offset, d.Class})
	}
	lane.ring.publish(ticket)
	link.bell.call(lane.ring.desk)
}

// ForgeReturn tells a rank of another process, in the name of any, that a frame was released.
func (t *Shm) ForgeReturn(to, process int, passage uint32) {
	link := t.linkTo(to)
	returns := &link.lanes[to-link.place.First].returns
	returns.put(returns.draw(1), process, passage)
	link.bell.call(returns.desk)
}

// ArenaBytes is how large the process's arena is.
func (t *Shm) ArenaBytes() uint64 { return uint64(len(t.arena.mem)) }

// FillArena leaves no room.
func (t *Shm) FillArena() {
	t.arena.mu.Lock()
	defer t.arena.mu.Unlock()
	t.arena.used = len(t.arena.mem)
}

// ArenaUsed is how many bytes the arena has ever given out.
func (t *Shm) ArenaUsed() int { return t.arena.used }

// RingSlots and PassagesMax are how much is under way at most.
func (t *Shm) RingSlots() int { return t.own.slots }

const PassagesMax = returnsMax

// Serve has goroutines serve the lanes, as where sockets can't be polled.
func (c *TCPConfig) Serve() { c.served = true }
