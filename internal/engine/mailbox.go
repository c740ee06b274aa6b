package engine

import "github.com/activepebbles/pebbles/netio"

// mailbox keeps the messages of collectives that have arrived and not yet been taken. There are few: a rank is at most
// one collective ahead of another that it exchanges messages with, and in termination detection as many rounds as
// pebbles take hops.
type mailbox struct {
	frames []*netio.Frame
	value  []byte // of the last message taken
}

func (m *mailbox) put(f *netio.Frame) { m.frames = append(m.frames, f) }

// take returns the value of the message with this sequence number and tag from another rank, if it has come; it is good
// until the next call. The frame goes back at once, for its sender may be short of frames. A message with the number
// that is for something else comes out as stray, whoever sent it.
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
