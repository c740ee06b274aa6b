package limits

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
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
	r, err := p.tcpFirst(c)
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
	if p.PingPong {
		return p.echo(c)
	}
	return p.drain(c)
}

func (p Pair) tcpFirst(c net.Conn) (r Report, err error) {
	r = Report{App: "limit-tcp", Procs: 2}
	message := make([]uint64, p.Bytes/8)
	start := time.Now()
	for i := range p.Messages {
		message[0] = uint64(i)
		if _, err := c.Write(bytesOf(message)); err != nil {
			return r, err
		}
		if !p.PingPong {
			continue
		}
		if _, err := io.ReadFull(c, bytesOf(message)); err != nil {
			return r, err
		}
		if message[0] != uint64(i)+1 {
			r.Errors++
		}
	}
	if p.PingPong {
		r.chased(p.Messages, p.Bytes, time.Since(start))
		return r, nil
	}
	var wrong [8]byte // the stream ends when the second process has read all of it
	if _, err := io.ReadFull(c, wrong[:]); err != nil {
		return r, err
	}
	r.streamed(uint64(p.Messages)*uint64(p.Bytes), time.Since(start))
	r.Errors = binary.NativeEndian.Uint64(wrong[:])
	return r, nil
}

// echo adds 1 to the first word of each message and sends it back.
func (p Pair) echo(c net.Conn) error {
	message := make([]uint64, p.Bytes/8)
	for range p.Messages {
		if _, err := io.ReadFull(c, bytesOf(message)); err != nil {
			return err
		}
		message[0]++
		if _, err := c.Write(bytesOf(message)); err != nil {
			return err
		}
	}
	return nil
}

// drain reads all messages, and tells how many were not what they should be.
func (p Pair) drain(c net.Conn) error {
	message := make([]uint64, p.Bytes/8)
	wrong := uint64(0)
	for i := range p.Messages {
		if _, err := io.ReadFull(c, bytesOf(message)); err != nil {
			return err
		}
		if message[0] != uint64(i) {
			wrong++
		}
	}
	_, err := c.Write(binary.NativeEndian.AppendUint64(nil, wrong))
	return err
}
