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

// connectLimit is the time for the second process to connect.
const connectLimit = 10 * time.Second

// secretVariable is the environment variable with the secret that the second process sends first.
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
	go func() { // a process that ended will not connect
		<-other.done
		listener.Close()
	}()
	c, err := accept(listener, secret)
	if err != nil {
		return Report{}, other.lost(fmt.Errorf("the second process has not connected: %w", err))
	}
	defer c.Close()
	r, err := p.lead("limit-tcp", tcpEnd{c})
	if err != nil {
		return Report{}, other.lost(err)
	}
	return r, other.wait()
}

// accept accepts the connection that sends the secret, and closes the others.
func accept(listener net.Listener, secret string) (net.Conn, error) {
	until := time.Now().Add(connectLimit)
	if err := listener.(*net.TCPListener).SetDeadline(until); err != nil {
		return nil, err
	}
	for {
		c, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		received := make([]byte, len(secret))
		_ = c.SetDeadline(time.Now().Add(time.Second))
		if _, err := io.ReadFull(c, received); err == nil && subtle.ConstantTimeCompare(received, []byte(secret)) == 1 {
			return c, c.SetDeadline(time.Time{})
		}
		c.Close()
	}
}

// AnswerTCP is the second process. It connects to the first at an address.
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

func (e tcpEnd) send(message []byte) error {
	_, err := e.Write(message)
	return err
}

func (e tcpEnd) receive(message []byte) error {
	_, err := io.ReadFull(e, message)
	return err
}
