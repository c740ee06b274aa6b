package handshake

import (
	"crypto/hmac"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// DefaultLimit is the default time that an end waits for the other to prove the secret.
const DefaultLimit = 5 * time.Second

// ErrSecret is returned if the other end has not proven the job's secret, or has refused this one: it has another
// secret, or is no member of this job.
var ErrSecret = errors.New("wrong secret, or not a member of this job")

// ErrStranger is returned if the other end does not speak this protocol. It was sent nothing.
var ErrStranger = errors.New("not an Active Pebbles process")

// ErrDropped is returned if the end that accepted has ended the connection without an answer: it had no room, since too
// many knock at it, or it has ended itself. It may be dialled again.
var ErrDropped = errors.New("it ended the connection: too many knock at it, or it has ended")

// ErrEncrypted is returned if only one of the two ends encrypts the connection.
var ErrEncrypted = errors.New("one end uses TLS and the other does not: give all processes the same setting")

// ErrCrossed is returned if the end that accepted keeps another connection, or waits for its own: if both ends dial at
// the same time, one connection is enough.
var ErrCrossed = errors.New("it keeps another connection")

// magic returns the first bytes of an opening, which also tell whether TLS follows the proofs.
func magic(encrypted bool) [8]byte {
	first := byte(0xa7)
	if encrypted {
		first = 0xa8
	}
	return [8]byte{first, 'p', 'e', 'b', 'b', 'l', 'e', Protocol}
}

// step is the progress of a greeting, as seen by the end that accepted.
type step int

const (
	stepSilent step = iota // the other end has sent nothing
	stepOpened             // it has sent a signed opening
	stepProven             // it has proven the secret
)

// greeting is one end of a connection while it is being greeted.
type greeting struct {
	conn    net.Conn
	secret  []byte
	mine    Hello
	key     key
	reached func(step) // called with each step of the other end
	wanted  func(Hello) bool
}

// Client greets for the end that dialled. The error is [ErrSecret] if one of the ends has another secret, and
// [ErrDropped] if the other one has no room. Client returns the Hello of the other end; if its identity differs from
// mine, the error is an [*IdentityError] and the Hello is valid too. The other end must prove the secret within limit
// (0 is [DefaultLimit]). From then on conn has no deadline: an end that gave up could not know whether the other one
// keeps the connection. The caller ends a greeting that takes too long by closing conn, and closes conn after an error.
// The result is conn, or TLS over it if mine is Encrypted; an end that is not gives [ErrEncrypted].
func Client(conn net.Conn, secret []byte, mine Hello, limit time.Duration) (net.Conn, Hello, error) {
	return greet(&greeting{conn: conn, secret: secret, mine: mine}, limit, (*greeting).client)
}

// Server greets for the end that accepted, as [Client] does, but limit holds until the Hello of the other end has
// arrived. It writes nothing before the other end has sent an opening of the right form, answers an unsigned one by
// zeros, and proves nothing before the other end has.
func Server(conn net.Conn, secret []byte, mine Hello, limit time.Duration) (net.Conn, Hello, error) {
	g := &greeting{
		conn: conn, secret: secret, mine: mine, reached: func(step) {}, wanted: func(Hello) bool { return true },
	}
	return greet(g, limit, (*greeting).server)
}

func greet(g *greeting, limit time.Duration, run func(*greeting) (Hello, error)) (net.Conn, Hello, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	if len(g.secret) == 0 {
		return nil, Hello{}, errors.New("greet: the job has no secret")
	}
	if err := g.conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return nil, Hello{}, fmt.Errorf("greet: set deadline: %w", err)
	}
	theirs, err := run(g)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("no greeting within %v: %w", limit, err)
	}
	if err == nil {
		err = compare(g.mine, theirs)
	}
	if err != nil {
		return nil, theirs, fmt.Errorf("greet %v: %w", g.conn.RemoteAddr(), err)
	}
	return g.conn, theirs, nil
}

// commit ends the limit. From here on this end does not give up: the other one may keep the connection as soon as it
// has our Hello, and would not notice.
func (g *greeting) commit() error {
	if err := g.conn.SetDeadline(time.Time{}); err != nil {
		return fmt.Errorf("clear deadline: %w", err)
	}
	return nil
}

func (g *greeting) client() (Hello, error) {
	if err := g.exchangeProofs(); err != nil {
		return Hello{}, dropped(err)
	}
	if err := g.encrypt(tls.Client); err != nil {
		return Hello{}, err
	}
	if err := g.commit(); err != nil {
		return Hello{}, err
	}
	if err := g.sendHello("client hello"); err != nil {
		return Hello{}, err
	}
	hello, err := g.receiveHello("server hello")
	if err == nil && hello.Crossed {
		err = ErrCrossed
	}
	return hello, err
}

// exchangeProofs is a client's part up to the proof of the server.
func (g *greeting) exchangeProofs() error {
	mine := sign(random(), g.secret, g.mine.Job)
	if err := g.sendOpening(mine); err != nil {
		return err
	}
	theirs, err := g.receiveOpening()
	if err != nil {
		return err
	}
	if theirs == (nonce{}) {
		return ErrSecret
	}
	g.key = sessionKey(g.secret, mine, theirs, g.mine.Job)
	if err := g.sendProof("client proof"); err != nil {
		return err
	}
	return g.checkProof("server proof")
}

// dropped returns the error of a client whose server has ended the connection before its proof. A server that refuses
// sends a refusal.
func dropped(err error) error {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return fmt.Errorf("%w: %w", ErrDropped, err)
		}
	}
	return err
}

func (g *greeting) server() (Hello, error) {
	theirs, err := g.receiveOpening()
	if errors.Is(err, ErrEncrypted) {
		_ = g.sendOpening(nonce{}) // tells the other end
	}
	if err != nil {
		return Hello{}, err
	}
	if !theirs.signed(g.secret, g.mine.Job) {
		_ = g.sendOpening(nonce{}) // an end without the refusal dials again
		return Hello{}, ErrSecret
	}
	g.reached(stepOpened)
	mine := random()
	if err := g.sendOpening(mine); err != nil {
		return Hello{}, err
	}
	g.key = sessionKey(g.secret, theirs, mine, g.mine.Job)
	if err := g.checkProof("client proof"); err != nil {
		return Hello{}, err
	}
	g.reached(stepProven)
	if err := g.sendProof("server proof"); err != nil {
		return Hello{}, err
	}
	if err := g.encrypt(tls.Server); err != nil {
		return Hello{}, err
	}
	hello, err := g.receiveHello("client hello")
	if err != nil {
		return Hello{}, err
	}
	if err := g.commit(); err != nil {
		return Hello{}, err
	}
	g.mine.Crossed = compare(g.mine, hello) == nil && !g.wanted(hello)
	err = g.sendHello("server hello") // in any case: both ends report the difference
	if err == nil && g.mine.Crossed {
		err = ErrCrossed
	}
	return hello, err
}

func (g *greeting) sendOpening(n nonce) error {
	begin := magic(g.mine.Encrypted)
	return g.write("opening", append(begin[:], n[:]...))
}

// receiveOpening checks the magic number as soon as it arrives, so that most strangers are refused at once.
func (g *greeting) receiveOpening() (n nonce, err error) {
	var heard [8]byte
	if err := g.read("opening", heard[:]); err != nil {
		return n, err
	}
	other := heard == magic(!g.mine.Encrypted)
	if !other && heard != magic(g.mine.Encrypted) {
		return n, ErrStranger
	}
	err = g.read("opening", n[:])
	if err == nil && other {
		err = ErrEncrypted
	}
	return n, err
}

func (g *greeting) sendProof(label string) error { return g.write("proof", g.key.sum(label, nil)) }

func (g *greeting) checkProof(label string) error {
	var proof [macBytes]byte
	if err := g.read("proof", proof[:]); err != nil {
		return err
	}
	if !hmac.Equal(proof[:], g.key.sum(label, nil)) {
		return ErrSecret
	}
	return nil
}

// sendHello sends the Hello: length, body, HMAC of the body.
func (g *greeting) sendHello(label string) error {
	body, err := g.mine.encode()
	if err != nil {
		return err
	}
	message := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	message = append(message, body...)
	return g.write("hello", append(message, g.key.sum(label, body)...))
}

func (g *greeting) receiveHello(label string) (Hello, error) {
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
