package termination

// exchange ends a phase on some of a rank's links: it sends the receiver of each outgoing one the number of frames that
// the link has had, and waits until as many have been processed from the sender of each incoming one.
type exchange struct {
	out, in []int
}

// progress is how far a rank has come with an exchange.
type progress struct {
	sent     bool   // the counts of the outgoing links
	next     int    // which of the incoming links is waited for
	received bool   // its count
	expected uint64 // frames of that link
	number   [numberSize]byte
}

// step advances an exchange as far as possible, and reports whether it has ended; the progress is reset then. The phase
// ends only when the rank is idle: no frame that it may still create on these links belongs to it.
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
