package tcp_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// The benchmarks of this file hold ports against bare connections of Go's between the same two processes, in turns,
// since machines change their speed from one second to the next. "ratio" is the median of those of the turns' times (of
// the speeds, for streams). "quiet" is the same for the turn that only an eighth of its kind were faster than: on a
// machine with other work, it tells more.
const turns = 41

// inTurns runs both by turns, each for n operations in all.
func inTurns(b *testing.B, bare, ports func(n int)) (bareNs, portsNs, ratio, quiet float64) {
	n := max(b.N/turns, 1)
	theirs, ours, ratios := make([]float64, turns), make([]float64, turns), make([]float64, turns)
	bare(min(n, 1000)) // connections grow their windows
	ports(min(n, 1000))
	b.ResetTimer()
	for i := range turns {
		theirs[i], ours[i] = clocked(bare, n), clocked(ports, n)
		ratios[i] = ours[i] / theirs[i]
	}
	b.StopTimer()
	for _, of := range [][]float64{theirs, ours, ratios} {
		slices.Sort(of)
	}
	return theirs[turns/2], ours[turns/2], ratios[turns/2], ours[turns/8] / theirs[turns/8]
}

func clocked(f func(n int), n int) float64 {
	began := time.Now()
	f(n)
	return float64(time.Since(began).Nanoseconds()) / float64(n)
}

// BenchmarkTCPHop is half of the way of 64 bytes there and back.
func BenchmarkTCPHop(b *testing.B) {
	for _, name := range []string{"resting", "waiting"} {
		for kindName, kind := range map[string]netio.Kind{"control": netio.Control, "data": netio.Data} {
			b.Run(name+"/"+kindName, func(b *testing.B) {
				p, conn := partnerOf(b, name)
				bare, ports, ratio, quiet := inTurns(b,
					func(n int) { bareHops(b, conn, n) },
					func(n int) { hops(p, kind, n, idles[name]()) })
				b.ReportMetric(bare/2, "bare-ns/hop")
				b.ReportMetric(ports/2, "ports-ns/hop")
				b.ReportMetric(ratio, "ratio")
				b.ReportMetric(quiet, "quiet-ratio")
			})
		}
	}
}

// BenchmarkTCPBytes streams frames of several sizes one way, beside writes of 64 KiB.
func BenchmarkTCPBytes(b *testing.B) {
	for _, bytes := range []int{512, 4 << 10, 6 << 10, 32 << 10, 64 << 10} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			p, conn := partnerOf(b, "resting")
			bare, ports, ratio, quiet := inTurns(b,
				func(n int) { bareBytes(b, conn, n*bytes) },
				func(n int) { frames(p, bytes, n) })
			b.ReportMetric(float64(bytes)/bare, "bare-GB/s")
			b.ReportMetric(float64(bytes)/ports, "ports-GB/s")
			b.ReportMetric(1/ratio, "ratio")
			b.ReportMetric(1/quiet, "quiet-ratio")
		})
	}
}

// idles are ways to wait for frames.
var idles = map[string]func() func(netio.Port){
	"resting": resting,
	"waiting": func() func(netio.Port) { return netiotest.Wait },
}

// resting is what a rank of the runtime does between looks: it pauses, and parks when nothing has come for long.
func resting() func(netio.Port) {
	idle := 0
	return func(p netio.Port) {
		if idle++; idle%256 != 0 {
			p.Pause()
			return
		}
		p.Wait(-1)
	}
}

const echoed = 1 // flag of frames that the partner sends back

func hops(p netio.Port, kind netio.Kind, n int, idle func(netio.Port)) {
	for range n {
		f := netiotest.Frame(p, kind, 0, 1, 64)
		f.Flags = echoed
		p.Send(f)
		netiotest.NextBy(p, idle).Release()
	}
}

func bareHops(b *testing.B, conn net.Conn, n int) {
	m := make([]byte, 64)
	for range n {
		_, err := conn.Write(m)
		require.NoError(b, err)
		_, err = io.ReadFull(conn, m)
		require.NoError(b, err)
	}
}

// frames waits until all have been released.
func frames(p netio.Port, bytes, n int) {
	const budget = 1 << 20
	idle := resting()
	room := func(budget int64) {
		for p.Pool().Lent() > budget {
			p.Recv()
			idle(p)
		}
	}
	for range n {
		room(budget - netio.FrameCost(bytes))
		netiotest.Send(p, 0, 1, bytes)
	}
	room(0)
}

const bulk = 64 << 10 // of a bare write, and of what the partner reads at once

// bareBytes tells how many come in a first message of 64 bytes, and waits for one when they have.
func bareBytes(b *testing.B, conn net.Conn, bytes int) {
	m := make([]byte, bulk)
	binary.LittleEndian.PutUint64(m, uint64(bytes))
	_, err := conn.Write(m[:64])
	require.NoError(b, err)
	for bytes > 0 {
		n, err := conn.Write(m[:min(bulk, bytes)])
		require.NoError(b, err)
		bytes -= n
	}
	_, err = io.ReadFull(conn, m[:64])
	require.NoError(b, err)
}

// partner is what the other process needs to know.
type partner struct {
	Bare      string // where to dial
	Addresses []string
	Idle      string
}

const partnerVariable = "PEBBLES_BENCH_PARTNER"

// partnerOf starts the other process, and connects with it by a port and a bare connection.
func partnerOf(b *testing.B, idle string) (netio.Port, net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	c := netiotest.Configs(b, 2, 2)
	c[1].Listener.Close() // the other process dials
	c[0].Addresses[1] = "127.0.0.1:1"
	what, err := json.Marshal(partner{l.Addr().String(), c[0].Addresses, idle})
	require.NoError(b, err)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), partnerVariable+"="+string(what))
	child.Stderr = os.Stderr
	require.NoError(b, child.Start())
	conn, err := l.Accept()
	require.NoError(b, err)
	tr, err := tcp.Dial(b.Context(), c[0])
	require.NoError(b, err)
	b.Cleanup(func() {
		conn.Close()
		p := tr.Port(0)
		p.Send(netiotest.Frame(p, netio.Control, 0, 1, 0)) // the end
		require.NoError(b, tr.Close())
		require.NoError(b, child.Wait())
	})
	return tr.Port(0), conn
}

// bePartner is the other process.
func bePartner(text string) error {
	var what partner
	if err := json.Unmarshal([]byte(text), &what); err != nil {
		return err
	}
	conn, err := net.Dial("tcp", what.Bare)
	if err != nil {
		return err
	}
	l, err := tcp.Listen("")
	if err != nil {
		return err
	}
	tr, err := tcp.Dial(context.Background(), tcp.Config{
		Job: "test", Secret: netiotest.Secret(1), Place: netio.PlaceOf(2, 2, 1), Listener: l, Addresses: what.Addresses, Identity: netiotest.Identity(),
	})
	if err != nil {
		return err
	}
	go echoBare(conn)
	p, idle := tr.Port(1), idles[what.Idle]()
	for {
		f := netiotest.NextBy(p, idle)
		last := f.Bytes == 0
		if f.Flags == echoed {
			p.Send(netiotest.Frame(p, f.Kind, 1, 0, int(f.Bytes)))
		}
		f.Release()
		if last {
			return tr.Close()
		}
	}
}

// echoBare sends messages back, after as many more bytes have come as they say.
func echoBare(conn net.Conn) {
	m := make([]byte, bulk)
	for {
		if _, err := io.ReadFull(conn, m[:64]); err != nil {
			return
		}
		for rest := int(binary.LittleEndian.Uint64(m)); rest > 0; {
			n, err := conn.Read(m[:min(bulk, rest)])
			if err != nil {
				return
			}
			rest -= n
		}
		clear(m[:64])
		if _, err := conn.Write(m[:64]); err != nil {
			return
		}
	}
}
