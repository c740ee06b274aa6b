package handshake

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// DefaultLimit is how long an end waits for the other one to prove the secret when the caller names no limit.
const DefaultLimit = 5 * time.Second

// ErrSecret says that the other end has not proven that it knows the job's secret, or has refused our proof: it has
// another secret, or is no member of this job.
var ErrSecret = errors.New("wrong secret, or not a member of this job")

// ErrStranger says that the other end does not speak this protocol at all. It was sent nothing.
var ErrStranger = errors.New("not an Active Pebbles process")

var magic = [8]byte{0xa7, 'p', 'e', 'b', 'b', 'l', 'e', Protocol}

const nonceBytes = 32

// step is how far the greeting of a guest has come, as the end that accepted sees it.
type step int

const (
	stepSilent step = iota // it has said nothing
	stepOpened             // it has sent an opening
	stepProven             // it has proven that it knows the secret
)

// greeting is one end of a connection while it is being greeted.
type greeting struct {
	conn   net.Conn
	secret []byte
	mine   Hello
	opened [len(magic) + nonceBytes]byte // what we opened with
	heard  [len(magic) + nonceBytes]byte // what the other end opened with
	key    key
	reach  func(step) // is told of each step of the other end; may be nil
}

// Client greets for the end that dialled. It returns what the other end has said of itself; when that differs from mine
// in its identity, the error is an [*IdentityError] and the Hello is valid too. The other end must prove the secret within
// limit (0 is [DefaultLimit]). From then on conn has no deadline: an end that gave up could not know whether the other one
// takes the connection for good. The caller ends a greeting that takes too long by closing conn, and closes conn after an
// error.
func Client(conn net.Conn, secret []byte, mine Hello, limit time.Duration) (Hello, error) {
	return greet(&greeting{conn: conn, secret: secret, mine: mine}, limit, (*greeting).client)
}

// Server greets for the end that accepted; all else is as with [Client], but that limit holds until it has heard the Hello of
// the other end. It writes nothing before the other end has sent a well-formed opening, and proves nothing before the other
// end has.
func Server(conn net.Conn, secret []byte, mine Hello, limit time.Duration) (Hello, error) {
	return server(conn, secret, mine, limit, nil)
}

// server is Server, and tells reach of each step of the other end.
func server(conn net.Conn, secret []byte, mine Hello, limit time.Duration, reach func(step)) (Hello, error) {
	return greet(&greeting{conn: conn, secret: secret, mine: mine, reach: reach}, limit, (*greeting).server)
}

func greet(g *greeting, limit time.Duration, run func(*greeting) (Hello, error)) (Hello, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	if len(g.secret) == 0 {
		return Hello{}, errors.New("greet: the job has no secret")
	}
	if err := g.conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return Hello{}, fmt.Errorf("greet: set deadline: %w", err)
	}
	theirs, err := run(g)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("no greeting within %v: %w", limit, err)
	}
	if err == nil {
		err = compare(g.mine, theirs)
	}
	if err != nil {
		return theirs, fmt.Errorf("greet %v: %w", g.conn.RemoteAddr(), err)
	}
	return theirs, nil
}

// reached tells of a step of the other end.
func (g *greeting) reached(s step) {
	if g.reach != nil {
		g.reach(s)
	}
}

// commit ends the limit. From here on this end does not give up by itself: the other one may take the connection for good
// as soon as it has heard our Hello, and could not be told.
func (g *greeting) commit() error {
	if err := g.conn.SetDeadline(time.Time{}); err != nil {
		return fmt.Errorf("clear deadline: %w", err)
	}
	return nil
}

func (g *greeting) client() (Hello, error) {
	if err := g.open(); err != nil {
		return Hello{}, err
	}
	if err := g.hear(); err != nil {
		return Hello{}, err
	}
	g.key = sessionKey(g.secret, g.opened[len(magic):], g.heard[len(magic):], g.mine.Job)
	if err := g.prove("client proof"); err != nil {
		return Hello{}, err
	}
	if err := g.check("server proof"); err != nil {
		return Hello{}, err
	}
	if err := g.commit(); err != nil {
		return Hello{}, err
	}
	if err := g.say("client hello"); err != nil {
		return Hello{}, err
	}
	return g.listen("server hello")
}

func (g *greeting) server() (Hello, error) {
	if err := g.hear(); err != nil {
		return Hello{}, err
	}
	g.reached(stepOpened)
	if err := g.open(); err != nil {
		return Hello{}, err
	}
	g.key = sessionKey(g.secret, g.heard[len(magic):], g.opened[len(magic):], g.mine.Job)
	if err := g.check("client proof"); err != nil {
		return Hello{}, err
	}
	g.reached(stepProven)
	if err := g.prove("server proof"); err != nil {
		return Hello{}, err
	}
	theirs, err := g.listen("client hello")
	if err != nil {
		return Hello{}, err
	}
	if err := g.commit(); err != nil {
		return Hello{}, err
	}
	return theirs, g.say("server hello") // whatever theirs is like: both ends are to know in what they differ
}

func (g *greeting) open() error {
	copy(g.opened[:], magic[:])
	rand.Read(g.opened[len(magic):]) // never fails: the program crashes instead
	return g.write("opening", g.opened[:])
}

// hear looks at the magic number as soon as it is there, so that most strangers are seen through at once.
func (g *greeting) hear() error {
	if err := g.read("opening", g.heard[:len(magic)]); err != nil {
		return err
	}
	if !bytes.Equal(g.heard[:len(magic)], magic[:]) {
		return ErrStranger
	}
	return g.read("opening", g.heard[len(magic):])
}

func (g *greeting) prove(label string) error { return g.write("proof", g.key.sum(label, nil)) }

func (g *greeting) check(label string) error {
	var proof [macBytes]byte
	if err := g.read("proof", proof[:]); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) || label == "client proof" {
			return err
		}
		return fmt.Errorf("%w: it ended the connection when it saw our proof: %w", ErrSecret, err)
	}
	if !hmac.Equal(proof[:], g.key.sum(label, nil)) {
		return ErrSecret
	}
	return nil
}

// say sends the Hello: length, body, HMAC of the body.
func (g *greeting) say(label string) error {
	body, err := g.mine.encode()
	if err != nil {
		return err
	}
	message := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	message = append(message, body...)
	return g.write("hello", append(message, g.key.sum(label, body)...))
}

func (g *greeting) listen(label string) (Hello, error) {
	var length [4]byte
	if err := g.read("hello", length[:]); err != nil {
		return Hello{}, err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > helloBytesMax {
		return Hello{}, fmt.Errorf("read hello: %d bytes, the most is %d", n, helloBytesMax)
	}
	message := make([]byte, n+macBytes)
	if err := g.read("hello", message); err != nil {
		return Hello{}, err
	}
	body, sum := message[:n], message[n:]
	if !hmac.Equal(sum, g.key.sum(label, body)) {
		return Hello{}, fmt.Errorf("read hello: %w: it was altered on the way", ErrSecret)
	}
	return decodeHello(body)
}

func (g *greeting) read(what string, b []byte) error {
	if _, err := io.ReadFull(g.conn, b); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

func (g *greeting) write(what string, b []byte) error {
	if _, err := g.conn.Write(b); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}
