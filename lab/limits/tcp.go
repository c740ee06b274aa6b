package limits

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// meetWithin is how long the second process may take to come.
const meetWithin = 10 * time.Second

// secretVariable holds, in the environment of the second process, what it has to say first.
const secretVariable = "PEBBLES_LIMIT_SECRET"

// TCP is a bare TCP connection over the loopback interface, between two processes. A message is written by one call.
func TCP(p Pair) (Report, error) {
	if err := p.check(); err != nil {
		return Report{}, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Report{}, err
	}
	defer listener.Close()
	secret := rand.Text()
	p.Second = append(p.Second, listener.Addr().String())
	other, err := p.start([]string{secretVariable + "=" + secret})
	if err != nil {
		return Report{}, err
	}
	go func() { // who never comes is not waited for
		<-other.done
		listener.Close()
	}()
	c, err := meet(listener, secret)
	if err != nil {
		return Report{}, other.lost(fmt.Errorf("the second process has not come: %w", err))
	}
	defer c.Close()
	r, err := p.lead("limit-tcp", tcpEnd{c})
	if err != nil {
		return Report{}, other.lost(err)
	}
	return r, other.wait()
}

// meet accepts the connection that knows the secret, and closes others.
func meet(listener net.Listener, secret string) (net.Conn, error) {
	until := time.Now().Add(meetWithin)
	if err := listener.(*net.TCPListener).SetDeadline(until); err != nil {
		return nil, err
	}
	for {
		c, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		said := make([]byte, len(secret))
		_ = c.SetDeadline(time.Now().Add(time.Second))
		if _, err := io.ReadFull(c, said); err == nil && subtle.ConstantTimeCompare(said, []byte(secret)) == 1 {
			return c, c.SetDeadline(time.Time{})
		}
		c.Close()
	}
}

// AnswerTCP is the second process, which the first awaits at an address.
func AnswerTCP(p Pair, address string) error {
	if err := p.check(); err != nil {
		return err
	}
	secret := os.Getenv(secretVariable)
	if secret == "" {
		return errors.New("this is started by limit tcp alone")
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := io.WriteString(c, secret); err != nil {
		return err
	}
	return p.follow(tcpEnd{c})
}

// tcpEnd is one end of a connection.
type tcpEnd struct{ net.Conn }

func (e tcpEnd) put(message []byte) error {
	_, err := e.Write(message)
	return err
}

func (e tcpEnd) get(message []byte) error {
	_, err := io.ReadFull(e, message)
	return err
}
