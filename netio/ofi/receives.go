package ofi

// Over verbs, rxm keeps posted receives of one packet each. By default each connection has its own. When a connection
// closes, rxm of libfabric 1.17 takes its arrivals out of the queue and posts those receives again to the endpoint that
// it has just freed (rxm_close_conn, rxm_post_recv). The process crashes, even if the other process closed or was
// killed. So all connections share their receives here.
//
// InfiniBand and RoCE resend a packet that finds no receive. iWARP breaks the connection. rxm's own bound for each
// connection does not cover shared receives, so each process limits its packets in flight to another one to the
// receives that the other has for it.

// receives returns the maximum number of packets in flight from one other process to this one.
func receives(processes int) int {
	return min(max(receivesTotal/max(processes-1, 1), receivesMin), receivesMax)
}

const (
	receivesTotal = 4096 // 76 MB
	receivesMax   = 128  // as in rxm, for each connection
	receivesMin   = 32
	sendsMax      = 128 // rxm's, for each connection
)

// peersFor returns the number of peers with which rxm makes its queue large enough for the sends to all peers and for
// all receives. rxm counts the total number of receives for each peer.
func peersFor(processes, receives int) int {
	return (sendsMax*processes + receives + sendsMax + receives - 1) / (sendsMax + receives)
}

// allowance counts the packets between two processes, if the fabric bounds them.
type allowance struct {
	here, there int    // most in flight to this process, and to the other one; 0 means no bound
	sent, gone  uint32 // to the other one, and the part that it has taken
	taken, told uint32 // from the other one, and the part that it was told of
}

// room reports whether a packet may leave now, with after more packets behind it.
func (a *allowance) room(after int) bool {
	return a.there == 0 || int(a.sent-a.gone)+1+after <= a.there
}

// countSent counts a packet that acknowledges packets.
func (a *allowance) countSent() {
	a.sent++
	a.told = a.taken
}

// countReceived counts a packet, which carries the number that the other one has taken. It may have been overtaken.
func (a *allowance) countReceived(gone uint32) {
	a.taken++
	if int32(gone-a.gone) > 0 {
		a.gone = gone
	}
}

func (a *allowance) due() bool { return a.here > 0 && int(a.taken-a.told) >= a.here/4 }
