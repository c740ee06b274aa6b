package engine

import "github.com/activepebbles/pebbles/netio"

// mailbox keeps the messages of collectives that have arrived but were not taken. They are few: a rank is at most one
// collective ahead of another that it exchanges messages with; in termination detection, the number of rounds ahead is
// at most the number of hops of pebbles.
type mailbox struct {
	frames []*netio.Frame
	value  []byte // of the last message taken
}

func (m *mailbox) put(f *netio.Frame) { m.frames = append(m.frames, f) }

// take returns the value of the message with this sequence number and tag from another rank, if it has arrived; the
// value is valid until the next call. The frame is released at once, since its sender may be short of frames. A message
// with the number but another mark is returned as stray, from any rank.
func (m *mailbox) take(from int, seq uint64, tag, mark uint32) (value []byte, ok bool, stray *netio.Frame) {
	for i, f := range m.frames {
		if f.Seq != seq {
			continue
		}
		if f.Check != mark {
			return nil, false, f
		}
		if f.Tag == tag && int(f.From) == from {
			last := len(m.frames) - 1
			m.frames[i] = m.frames[last]
			m.frames[last] = nil
			m.frames = m.frames[:last]
			m.value = append(m.value[:0], f.Payload()...)
			f.Release()
			return m.value, true, nil
		}
	}
	return nil, false, nil
}

func (m *mailbox) clear() {
	for _, f := range m.frames {
		f.Release()
	}
	m.frames = nil
}
