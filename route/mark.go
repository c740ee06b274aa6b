package route

import (
	"encoding/binary"
	"fmt"
)

// Mark says that nothing is to be routed over a link or through a rank, or that it may be again.
type Mark struct {
	From, To int  // the two ends of a link, in both directions; To is -1 for the rank From
	Down     bool // whether it is marked from now on
}

// noRank stands for To of a mark of a rank, where numbers have no sign.
const noRank = 1<<32 - 1

// markBytes is the length of a mark on the wire: both ends, little-endian, and whether it is down.
const markBytes = 9

// AppendBinary appends the 9 bytes of the mark. It never fails for ranks that a job can have.
func (m Mark) AppendBinary(b []byte) ([]byte, error) {
	to := uint32(m.To)
	if m.To == -1 {
		to = noRank
	}
	if m.From < 0 || m.From > ranksMax || m.To < -1 || m.To > ranksMax {
		return b, fmt.Errorf("route: %v: a job has no such ranks", m)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(m.From))
	b = binary.LittleEndian.AppendUint32(b, to)
	if m.Down {
		return append(b, 1), nil
	}
	return append(b, 0), nil
}

// UnmarshalBinary reads what AppendBinary has written, and nothing else.
func (m *Mark) UnmarshalBinary(b []byte) error {
	if len(b) != markBytes {
		return fmt.Errorf("route: a mark has %d bytes, here are %d", markBytes, len(b))
	}
	from, to, down := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), b[8]
	if from > ranksMax || to > ranksMax && to != noRank || down > 1 {
		return fmt.Errorf("route: the bytes %x are no mark", b)
	}
	*m = Mark{From: int(from), To: int(to), Down: down == 1}
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
