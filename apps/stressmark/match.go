package stressmark

import "bytes"

// A rank takes delimiters from left to right, none of which overlap. So where it begins depends on where the last
// delimiter of the rank before ends, which may be some bytes into this one's part: its carry. What each carry becomes
// is a table; the tables of all ranks before this one, one after the other, give its own.

// carries says, for each carry that may come in, what goes out.
type carries [tokenBytesMax]uint8

// then is what two parts do, one after the other.
func (c carries) then(o carries) (both carries) {
	for in, out := range c {
		both[in] = o[out]
	}
	return both
}

// none carries what it is given.
func none() (c carries) {
	for in := range c {
		c[in] = uint8(in)
	}
	return c
}

// matches is where a token is found in a rank's part, by carry.
type matches struct {
	token int   // its length
	part  int   // that of the part
	first []int // with no carry
}

// find looks for a token in text: a part of so many bytes, and those after it where a token that begins in the part may
// end.
func find(text []byte, part int, token []byte, room []int) (m matches) {
	m = matches{len(token), part, room[:0]}
	for at := 0; ; {
		i := bytes.Index(text[min(at, len(text)):], token)
		if i < 0 {
			return m
		}
		m.first = append(m.first, at+i)
		at += i + len(token)
	}
}

// from is where delimiters are with a carry: some by themselves, and then those from an index of first on.
func (m matches) from(text, token []byte, carry int) (own []int, rest int) {
	for at := carry; ; {
		for rest < len(m.first) && m.first[rest] < at {
			rest++
		}
		i := bytes.Index(text[min(at, len(text)):], token)
		switch {
		case i < 0:
			return own, len(m.first)
		case rest < len(m.first) && m.first[rest] == at+i:
			return own, rest
		}
		own = append(own, at+i)
		at += i + len(token)
	}
}

// table is what all carries become.
func (m matches) table(text, token []byte) (c carries) {
	for in := range c {
		end := in
		if in < m.token { // no other comes
			own, rest := m.from(text, token, in)
			switch {
			case rest < len(m.first):
				end = m.first[len(m.first)-1] + m.token
			case len(own) > 0:
				end = own[len(own)-1] + m.token
			}
		}
		c[in] = uint8(max(0, end-m.part))
	}
	return c
}
