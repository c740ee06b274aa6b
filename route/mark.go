package route

import (
	"encoding/binary"
	"fmt"
)

// Mark closes a link or a rank to routes, or opens it again.
type Mark struct {
	From, To int  // both ends of a link, in both directions; To is -1 for the rank From
	Down     bool // closes the link or rank

	// Count and By order the marks of a link, or of a rank: the last one is valid. Count is a Lamport clock, By the
	// rank that marks. [Links.Issue] sets both.
	Count uint64
	By    int
}

// after reports whether m is later than another mark of the same link or rank.
func (m Mark) after(o Mark) bool { return m.Count > o.Count || m.Count == o.Count && m.By > o.By }

// noRank is To of a mark of a rank in unsigned form.
const noRank = 1<<32 - 1

const (
	markBytes = 21      // size of a mark on the wire, little-endian: both ends, Down, Count, By
	countMax  = 1 << 62 // limit of Count: a higher one is damage, and would let the clock wrap
)

// AppendBinary appends the 21 bytes of the mark. It never fails for a mark that a rank of a job has issued.
func (m Mark) AppendBinary(b []byte) ([]byte, error) {
	to := uint32(m.To)
	if m.To == -1 {
		to = noRank
	}
	switch {
	case m.From < 0 || m.From > ranksMax || m.To < -1 || m.To > ranksMax:
		return b, fmt.Errorf("route: %v: a job has no such ranks", m)
	case m.By < 0 || m.By > ranksMax || m.Count == 0 || m.Count > countMax:
		return b, fmt.Errorf("route: %v: mark %d of rank %d was not issued by a rank", m, m.Count, m.By)
	}
	down := byte(0)
	if m.Down {
		down = 1
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(m.From))
	b = binary.LittleEndian.AppendUint32(b, to)
	b = append(b, down)
	b = binary.LittleEndian.AppendUint64(b, m.Count)
	return binary.LittleEndian.AppendUint32(b, uint32(m.By)), nil
}

// UnmarshalBinary reads the bytes of AppendBinary, and nothing else.
func (m *Mark) UnmarshalBinary(b []byte) error {
	if len(b) != markBytes {
		return fmt.Errorf("route: a mark has %d bytes, here are %d", markBytes, len(b))
	}
	from, to, down := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), b[8]
	count, by := binary.LittleEndian.Uint64(b[9:]), binary.LittleEndian.Uint32(b[17:])
	if from > ranksMax || to > ranksMax && to != noRank || down > 1 || count == 0 || count > countMax || by > ranksMax {
		return fmt.Errorf("route: the bytes %x are not a mark", b)
	}
	*m = Mark{From: int(from), To: int(to), Down: down == 1, Count: count, By: int(by)}
	if to == noRank {
		m.To = -1
	}
	return nil
}

// String names the link or the rank.
func (m Mark) String() string {
	if m.To == -1 {
		return fmt.Sprintf("rank %d", m.From)
	}
	return fmt.Sprintf("link %d-%d", m.From, m.To)
}
