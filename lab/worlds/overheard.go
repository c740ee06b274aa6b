package worlds

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// overheard is the greeting of one end of a connection, as the network reads it in transit. Package handshake has its
// form: an opening, a proof, the length of a Hello, the Hello and its sum.
type overheard struct {
	greeting []byte
	hello    *handshake.Hello // nil until the greeting is whole
}

const (
	openingBytes = 40
	sumBytes     = 32 // of a proof, too
	helloMost    = 4 << 10
)

var errNoGreeting = errors.New("bytes that are no greeting")

// hear takes bytes, and returns the number of those that follow the greeting.
func (o *overheard) hear(b []byte) (beyond int, err error) {
	if o.hello != nil {
		return len(b), nil
	}
	o.greeting = append(o.greeting, b...)
	if begin := []byte("pebble"); len(o.greeting) > len(begin) && !bytes.Equal(o.greeting[1:][:len(begin)], begin) {
		return 0, errNoGreeting
	}
	const head = openingBytes + sumBytes + 4
	if len(o.greeting) < head {
		return 0, nil
	}
	n := int(binary.LittleEndian.Uint32(o.greeting[head-4:]))
	switch whole := head + n + sumBytes; {
	case n > helloMost:
		return 0, errNoGreeting
	case len(o.greeting) < whole:
		return 0, nil
	default:
		o.hello = new(handshake.Hello)
		beyond = len(o.greeting) - whole
		o.greeting = o.greeting[:whole]
		return beyond, json.Unmarshal(o.greeting[head:][:n], o.hello)
	}
}

// overhear checks the bytes that an end sends: frames follow the greetings of both ends, on the one connection of their
// stream.
func (l *link) overhear(side int, b []byte) {
	w := &l.ways[side]
	known := w.hello != nil
	beyond, err := w.hear(b)
	switch {
	case err != nil:
		l.n.breach("process %d sends %d bytes ahead of the end of its greeting to process %d: %w", l.process(side),
			len(b), l.process(1-side), err)
	case beyond > 0 && !l.agreed(side):
		l.n.breach("process %d sends a frame to process %d on a connection that is not made", l.process(side),
			l.process(1-side))
	case side == 1 && !known && w.hello != nil:
		l.answered()
	}
}

// agreed reports whether an end may send frames.
func (l *link) agreed(side int) bool {
	answer := &l.ways[1]
	return answer.hello != nil && !answer.hello.Crossed && (side == 1 || answer.read >= len(answer.greeting))
}

// answered records whether the accepting end keeps the connection. An end that has lost the other one may keep it too,
// and then closes it.
func (l *link) answered() {
	if l.ways[1].hello.Crossed {
		l.n.crossed++
		return
	}
	lane := 0
	if asked := l.ways[0].hello; asked != nil {
		lane = int(asked.Lane)
	}
	pair := between(l.from, l.to)
	stream := [3]int{pair[0], pair[1], lane}
	if l.n.kept[stream] && !l.n.troubled() {
		l.n.breach("processes %d and %d have two connections for stream %d", pair[0], pair[1], lane)
	}
	l.n.kept[stream] = true
}
