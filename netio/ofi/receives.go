package ofi

// Over verbs rxm keeps receives posted, of a packet each. By default each connection has its own. When one closes, rxm
// of libfabric 1.17 takes what has come by it out of the queue, and posts those receives again to the endpoint that it
// has just freed (rxm_close_conn, rxm_post_recv): the process crashes, also when it was the other one that closed, or
// was killed. So all connections share their receives here.
//
// InfiniBand and RoCE send a packet again that finds none. iWARP breaks the connection. rxm's own bound for each
// connection does not hold for shared receives, so each process has no more packets in flight to another one than that
// has receives for it.

// receives is how many packets of one other process may be in flight to this one.
func receives(processes int) int {
	return min(max(receivesTotal/max(processes-1, 1), receivesMin), receivesMax)
}

const (
	receivesTotal = 4096 // 76 MB
	receivesMax   = 128  // as in rxm, for each connection
	receivesMin   = 32
	sendsMax      = 128 // rxm's, for each connection
)

// peersFor is the number of peers for which rxm makes its queue so large that the sends to all peers find room, and all
// receives: it takes as many as there are in all for each peer.
func peersFor(processes, receives int) int {
	return (sendsMax*processes + receives + sendsMax + receives - 1) / (sendsMax + receives)
}

// allowance counts the packets between two processes, where there is a bound.
type allowance struct {
	here, there int    // the most that may be in flight to this process, and to the other one; 0 is no bound
	sent, gone  uint32 // to the other one, and of them, those that it has taken
	taken, told uint32 // from the other one, and of them, those that it knows of
}

// room reports whether a packet may leave, and after more after it.
func (a *allowance) room(after int) bool {
	return a.there == 0 || int(a.sent-a.gone)+1+after <= a.there
}

// countSent counts a packet that acknowledges packets.
func (a *allowance) countSent() {
	a.sent++
	a.told = a.taken
}

// countReceived counts a packet, which says how many the other one has taken. It may have been overtaken.
func (a *allowance) countReceived(gone uint32) {
	a.taken++
	if int32(gone-a.gone) > 0 {
		a.gone = gone
	}
}

func (a *allowance) due() bool { return a.here > 0 && int(a.taken-a.told) >= a.here/4 }
