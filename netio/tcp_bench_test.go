package netio_test

import (
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// The benchmarks of this file hold ports against bare connections of Go's, in turns, since machines change their speed
// from one second to the next. Their figures are medians over the turns; "ratio" is that of a turn's two times.
const turns = 41

// inTurns runs both by turns, each for n operations in all, and reports medians in units a nanosecond or the inverse.
func inTurns(b *testing.B, bare, ports func(n int), report func(bare, ports, ratio float64)) {
	n := max(b.N/turns, 1)
	ours, theirs, ratios := make([]float64, turns), make([]float64, turns), make([]float64, turns)
	bare(min(n, 1000)) // connections grow their windows
	ports(min(n, 1000))
	b.ResetTimer()
	for i := range turns {
		theirs[i], ours[i] = clocked(bare, n), clocked(ports, n)
		ratios[i] = ours[i] / theirs[i]
	}
	b.StopTimer()
	report(median(theirs), median(ours), median(ratios))
	b.ReportMetric(ours[turns/8]/theirs[turns/8], "quiet-ratio")
	b.ReportMetric(ours[turns/8], "quiet-ns")
}

func clocked(f func(n int), n int) float64 {
	began := time.Now()
	f(n)
	return float64(time.Since(began).Nanoseconds()) / float64(n)
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// bareTCP is a connection of Go's over loopback.
func bareTCP(b *testing.B) (p, q net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	p, err = net.Dial("tcp", l.Addr().String())
	require.NoError(b, err)
	q, err = l.Accept()
	require.NoError(b, err)
	b.Cleanup(func() {
		p.Close()
		q.Close()
	})
	return p, q
}

// resting is what a rank of the runtime does between looks: it pauses, and parks when nothing has come for long.
func resting() func(netio.Port) {
	idle, last := 0, (*netio.Frame)(nil)
	_ = last
	return func(p netio.Port) {
		if idle++; idle%256 != 0 {
			p.Pause()
			return
		}
		p.Wait(-1)
	}
}

// BenchmarkTCPHop is one way of 64 bytes there and back.
func BenchmarkTCPHop(b *testing.B) {
	idles := map[string]func() func(netio.Port){
		"resting": resting,
		"waiting": func() func(netio.Port) { return wait },
	}
	for name, idle := range idles {
		for kindName, kind := range map[string]netio.Kind{"control": netio.Control, "data": netio.Data} {
			b.Run(name+"/"+kindName, func(b *testing.B) {
				p, q := bareTCP(b)
				all := dialAll(b, configs(b, 2, 2))
				defer closeAll(b, all)
				bare := func(n int) { barePingPong(b, p, q, n) }
				ports := func(n int) { bounceFrames(all[0].Port(0), all[1].Port(1), kind, n, idle) }
				inTurns(b, bare, ports, func(bare, ports, ratio float64) {
					b.ReportMetric(bare/2, "bare-ns/hop")
					b.ReportMetric(ports/2, "ports-ns/hop")
					b.ReportMetric(ratio, "ratio")
				})
			})
		}
	}
}

func barePingPong(b *testing.B, p, q net.Conn, n int) {
	var other sync.WaitGroup
	other.Go(func() {
		m := make([]byte, 64)
		for range n {
			_, err := io.ReadFull(q, m)
			require.NoError(b, err)
			_, err = q.Write(m)
			require.NoError(b, err)
		}
	})
	m := make([]byte, 64)
	for range n {
		_, err := p.Write(m)
		require.NoError(b, err)
		_, err = io.ReadFull(p, m)
		require.NoError(b, err)
	}
	other.Wait()
}

func bounceFrames(p, q netio.Port, kind netio.Kind, n int, idle func() func(netio.Port)) {
	send := func(p netio.Port, from, to uint32) {
		f := p.Pool().Get(64)
		f.Kind, f.From, f.To, f.Bytes = kind, from, to, 64
		p.Send(f)
	}
	var other sync.WaitGroup
	other.Go(func() {
		rest := idle()
		for range n {
			nextBy(q, rest).Release()
			send(q, 1, 0)
		}
		for q.Pool().Lent() > 0 {
			q.Recv()
			rest(q)
		}
	})
	rest := idle()
	for range n {
		send(p, 0, 1)
		nextBy(p, rest).Release()
	}
	for p.Pool().Lent() > 0 {
		p.Recv()
		rest(p)
	}
	other.Wait()
}

// BenchmarkTCPBytes streams frames of several sizes one way, beside writes of 64 KiB. Receivers add up a word of each
// frame, so that the sum shows that all came.
func BenchmarkTCPBytes(b *testing.B) {
	for _, bytes := range []int{512, 4 << 10, 6 << 10, 32 << 10, 64 << 10} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			p, q := bareTCP(b)
			all := dialAll(b, configs(b, 2, 2))
			defer closeAll(b, all)
			bare := func(n int) { bareStream(b, p, q, n*bytes) }
			ports := func(n int) { streamFrames(b, all[0].Port(0), all[1].Port(1), bytes, n) }
			inTurns(b, bare, ports, func(bare, ports, ratio float64) {
				b.ReportMetric(float64(bytes)/bare, "bare-GB/s")
				b.ReportMetric(float64(bytes)/ports, "ports-GB/s")
				b.ReportMetric(1/ratio, "ratio")
			})
		})
	}
}

func bareStream(b *testing.B, p, q net.Conn, bytes int) {
	const piece = 64 << 10
	var other sync.WaitGroup
	other.Go(func() {
		m := make([]byte, piece)
		for got := 0; got < bytes; {
			n, err := q.Read(m)
			require.NoError(b, err)
			got += n
		}
	})
	m := make([]byte, piece)
	for sent := 0; sent < bytes; {
		n, err := p.Write(m[:min(piece, bytes-sent)])
		require.NoError(b, err)
		sent += n
	}
	other.Wait()
}

func streamFrames(b *testing.B, p, q netio.Port, bytes, n int) {
	const budget = 1 << 20
	var other sync.WaitGroup
	other.Go(func() {
		sum, rest := uint64(0), resting()
		for range n {
			f := nextBy(q, rest)
			sum += f.Seq
			f.Release()
		}
		if sum != uint64(n)*uint64(n-1)/2 {
			b.Errorf("checksum %d of %d frames", sum, n)
		}
		q.Wait(0)
	})
	rest := resting()
	room := func(budget int64) {
		for p.Pool().Lent() > budget {
			p.Recv()
			rest(p)
		}
	}
	for i := range n {
		room(budget - netio.FrameCost(bytes))
		f := p.Pool().Get(bytes)
		f.Kind, f.From, f.To, f.Bytes, f.Seq = netio.Data, 0, 1, uint32(bytes), uint64(i)
		p.Send(f)
	}
	room(0)
	other.Wait()
}
