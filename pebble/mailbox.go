package pebble

import "github.com/activepebbles/pebbles/netio"

// mailbox keeps the messages of collectives that have arrived and not yet been taken. There are few: a rank is at most one
// collective ahead of another that it exchanges messages with.
type mailbox struct {
	frames []*netio.Frame
	taken  *netio.Frame // lent to the last caller of take
}

func (m *mailbox) put(f *netio.Frame) { m.frames = append(m.frames, f) }

// take returns the message with this sequence number from another rank, if it has come. Its payload is good until the
// next call.
func (m *mailbox) take(from int, seq uint64, tag uint32) *netio.Frame {
	m.giveBack()
	for i, f := range m.frames {
		if f.Seq == seq && f.Tag == tag && int(f.From) == from {
			last := len(m.frames) - 1
			m.frames[i] = m.frames[last]
			m.frames[last] = nil
			m.frames = m.frames[:last]
			m.taken = f
			return f
		}
	}
	return nil
}

func (m *mailbox) giveBack() {
	if m.taken != nil {
		m.taken.Release()
		m.taken = nil
	}
}

func (m *mailbox) clear() {
	m.giveBack()
	for _, f := range m.frames {
		f.Release()
	}
	m.frames = nil
}
