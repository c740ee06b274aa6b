// Command crowd connects to all listeners of jobs in its network namespace, TCP and the Unix sockets of shared memory,
// as fast as it can, like a local user without rights. It stops at SIGTERM or at the end of its time. It reports its
// start, and at the end the number of connections.
//
//	ip netns exec NAMESPACE setpriv --reuid 65534 --clear-groups crowd -say opening
//
// It does not have a job's secret, and holds at most 1,024 connections; a newer one replaces the oldest. .ci/floods
// starts jobs beside it.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

const (
	heldMax   = 1024 // connections
	lookEvery = 3 * time.Millisecond
	limit     = time.Second // of a dial, and of a conversation
)

// sayings are the bytes that strangers send.
var sayings = map[string]func(net.Conn) error{
	"nothing": func(net.Conn) error { return nil },
	"half":    func(c net.Conn) error { _, err := c.Write([]byte{0xa7, 'p'}); return err },
	"http":    func(c net.Conn) error { _, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n"); return err },
	"opening": func(c net.Conn) error { // for another job
		_, _, err := handshake.Client(c, []byte("another"), handshake.Hello{Job: "another"}, limit)
		return err
	},
	"tls": func(c net.Conn) error {
		c.SetDeadline(time.Now().Add(limit))
		return tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake()
	},
}

func main() {
	say := flag.String("say", "nothing", "nothing, half, http, opening or tls")
	each := flag.Int("each", 64, "strangers that dial at the same time")
	last := flag.Duration("last", time.Minute, "how long it stays")
	flag.Parse()
	speak, ok := sayings[*say]
	if !ok {
		fmt.Fprintln(os.Stderr, "crowd: it can say nothing, half, http, opening or tls")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *last)
	defer cancel()
	c := &crowd{speak: speak, held: make(chan net.Conn, heldMax)}
	c.doors.Store(new([]net.Addr))
	var all sync.WaitGroup
	all.Go(func() { c.look(ctx) })
	for i := range *each {
		all.Go(func() { c.knock(ctx, i) })
	}
	fmt.Println("there")
	all.Wait()
	fmt.Println("connections", c.connections.Load())
}

type crowd struct {
	speak       func(net.Conn) error
	doors       atomic.Pointer[[]net.Addr]
	held        chan net.Conn
	connections atomic.Int64
}

// look updates the list of listeners.
func (c *crowd) look(ctx context.Context) {
	for ctx.Err() == nil {
		doors := slices.Concat(read("/proc/net/tcp", tcpDoor), read("/proc/net/unix", unixDoor))
		c.doors.Store(&doors)
		time.Sleep(lookEvery)
	}
}

// knock dials one listener after the other, beginning at its own number, and keeps the connections.
func (c *crowd) knock(ctx context.Context, number int) {
	dialer := net.Dialer{Timeout: limit}
	for i := number; ctx.Err() == nil; i++ {
		doors := *c.doors.Load()
		if len(doors) == 0 {
			time.Sleep(lookEvery)
			continue
		}
		door := doors[i%len(doors)]
		conn, err := dialer.DialContext(ctx, door.Network(), door.String())
		if err != nil {
			continue // it is closed by now, or its queue is full
		}
		c.connections.Add(1)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // nothing is left of it, which would lengthen the list of sockets
		}
		if c.speak(conn) != nil {
			conn.Close()
			continue
		}
		c.hold(conn)
	}
}

func (c *crowd) hold(conn net.Conn) {
	for {
		select {
		case c.held <- conn:
			return
		default:
		}
		select {
		case oldest := <-c.held:
			oldest.Close()
		default:
		}
	}
}

// read parses a table of sockets.
func read(file string, door func(columns []string) net.Addr) (doors []net.Addr) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if d := door(strings.Fields(lines.Text())); d != nil {
			doors = append(doors, d)
		}
	}
	return doors
}

// tcpDoor returns a listening address, such as 0100007F:1F90 in the state 0A, with the bytes of this machine's words.
func tcpDoor(columns []string) net.Addr {
	if len(columns) < 4 || columns[3] != "0A" {
		return nil
	}
	b, err := hex.DecodeString(strings.Replace(columns[1], ":", "", 1))
	if err != nil || len(b) != 6 {
		return nil
	}
	slices.Reverse(b[:4])
	ip, _ := netip.AddrFromSlice(b[:4])
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, uint16(b[4])<<8|uint16(b[5])))
}

// unixDoor returns the listening socket of a process that shares memory.
func unixDoor(columns []string) net.Addr {
	const listens = "00010000"
	if len(columns) < 8 || columns[3] != listens || !strings.HasPrefix(columns[7], "@pebbles-") {
		return nil
	}
	return &net.UnixAddr{Name: columns[7], Net: "unix"}
}
