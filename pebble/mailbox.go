package pebble

import "github.com/activepebbles/pebbles/netio"

// mailbox keeps the messages of collectives that have arrived and not yet been taken. There are few: a rank is at most one
// collective ahead of another that it exchanges messages with.
type mailbox struct {
	frames []*netio.Frame
	taken  *netio.Frame // lent to the last caller of take
}

func (m *mailbox) put(f *netio.Frame) { m.frames = append(m.frames, f) }

// take returns the message with this sequence number and tag from another rank, if it has come. Its payload is good until
// the next call. A message with the number that is for something else comes out as stray, whoever sent it.
func (m *mailbox) take(from int, seq uint64, tag uint32, p purpose) (f, stray *netio.Frame) {
	m.giveBack()
	for i, f := range m.frames {
		if f.Seq != seq {
			continue
		}
		if purpose(f.Check) != p {
			return nil, f
		}
		if f.Tag == tag && int(f.From) == from {
			last := len(m.frames) - 1
			m.frames[i] = m.frames[last]
			m.frames[last] = nil
			m.frames = m.frames[:last]
			m.taken = f
			return f, nil
		}
	}
	return nil, nil
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
