package termination

// exchange ends a phase on some of a rank's links: it tells the receiver of each outgoing one how many frames the link has
// had, and waits until as many have been processed from the sender of each incoming one.
type exchange struct {
	out, in []int
}

// progress is how far a rank has come with an exchange.
type progress struct {
	told     bool   // what went out
	next     int    // which of the incoming links is waited for
	heard    bool   // from that
	expected uint64 // frames of that
	number   [numberSize]byte
}

// step takes an exchange as far as it goes, and reports whether it has ended; the progress is as new then. The phase ends
// only when the rank is idle: no frame that it may still create on these links belongs to it.
func (x *exchange) step(p *progress, n Network, seq uint64, phase uint32, s State) bool {
	if !p.told {
		if len(x.out) > 0 && !s.Idle {
			return false
		}
		x.tell(p.number[:], n, seq, s.Ledger)
		p.told = true
	}
	for ; p.next < len(x.in); p.next++ {
		from := x.in[p.next]
		if !p.heard {
			value, ok := n.Take(from, seq, 0)
			if !ok {
				return false
			}
			p.expected, p.heard = getNumber(value), true
		}
		if s.Ledger.Processed(from, phase) != p.expected {
			return false
		}
		p.heard = false
	}
	*p = progress{}
	return true
}

func (x *exchange) tell(value []byte, n Network, seq uint64, l *Ledger) {
	for _, to := range x.out {
		putNumber(value, l.Close(to))
		n.Send(to, seq, 0, value)
	}
}
