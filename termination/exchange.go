package termination

// exchange ends a phase on some of a rank's links: it sends the receiver of each outgoing link the number of the link's
// frames, and waits until it has processed the reported number of frames from the sender of each incoming link.
type exchange struct {
	out, in []int
}

// progress is the progress of a rank in an exchange.
type progress struct {
	sent     bool   // the counts of the outgoing links were sent
	next     int    // index of the incoming link that is waited for
	received bool   // its count has arrived
	expected uint64 // frames of that link
	number   [numberSize]byte
}

// step advances an exchange as far as possible, and reports whether it has ended; then it resets the progress. The
// phase ends only when the rank is idle: frames that it creates later on these links belong to the next phase.
func (x *exchange) step(p *progress, n Network, seq uint64, phase uint32, s State) bool {
	if !p.sent {
		if len(x.out) > 0 && !s.Idle {
			return false
		}
		x.sendCounts(p.number[:], n, seq, s.Ledger)
		p.sent = true
	}
	for ; p.next < len(x.in); p.next++ {
		from := x.in[p.next]
		if !p.received {
			value, ok := n.Take(from, seq, 0)
			if !ok {
				return false
			}
			p.expected, p.received = getNumber(value), true
		}
		if s.Ledger.Processed(from, phase) != p.expected {
			return false
		}
		p.received = false
	}
	*p = progress{}
	return true
}

func (x *exchange) sendCounts(value []byte, n Network, seq uint64, l *Ledger) {
	for _, to := range x.out {
		putNumber(value, l.Close(to))
		n.Send(to, seq, 0, value)
	}
}
