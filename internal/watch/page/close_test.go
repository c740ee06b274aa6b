package page

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// TestCrowd requires that connected strangers, silent or not, cost a bounded number of goroutines, and are dropped.
func TestCrowd(t *testing.T) {
	var log bytes.Buffer
	source := newMadeUp(4, "running")
	s := serve(t, Config{Token: secret, Source: source, Log: slog.New(slog.NewTextHandler(&log, nil)),
		headerWait: time.Second})
	host := strings.TrimPrefix(target(t, s, ""), "http://")
	before := runtime.NumGoroutine()
	var mine []net.Conn
	defer func() {
		for _, c := range mine {
			c.Close()
		}
	}()
	for i := range 3 * connectionsMost / 2 { // the last ones find no slot
		c, err := net.Dial("tcp", host)
		require.NoError(t, err)
		if i%2 == 0 {
			io.WriteString(c, "GET / HTTP/1.1\r\n")
		}
		mine = append(mine, c)
		require.LessOrEqual(t, runtime.NumGoroutine()-before, 2*connectionsMost)
	}
	require.Eventually(t, func() bool { // headerWait frees the slots of silent ones
		r, err := http.NewRequest("GET", target(t, s, "/view.json"), nil)
		require.NoError(t, err)
		r.Header = bearer(secret)
		answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, awaited, 50*time.Millisecond)
	require.EqualValues(t, 1, source.asked.Load())
	require.Empty(t, log.String(), "strangers fill no log")
}

// TestStrangersDoNotStay requires that a stranger's connection is closed with the answer, even if more data is coming.
func TestStrangersDoNotStay(t *testing.T) {
	s := serve(t, Config{Source: newMadeUp(1, "running"), bodyWait: 100 * time.Millisecond})
	c, err := net.Dial("tcp", strings.TrimPrefix(target(t, s, ""), "http://"))
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(awaited)))
	_, err = io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")
	require.NoError(t, err)
	said, err := io.ReadAll(c)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(said), "HTTP/1.1 401 "), "%s", said)
}

func TestHugeHeaderIsRefused(t *testing.T) {
	s := serve(t, Config{Token: secret, Source: newMadeUp(1, "running")})
	h := bearer(secret)
	h.Set("X-Much", strings.Repeat("x", 20<<10))
	answer, _ := ask(t, "GET", target(t, s, "/"), h)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, answer.StatusCode)
}

// slow is a source whose report blocks until it is let go.
type slow struct {
	*madeUp
	begun, end chan struct{}
}

func (s slow) Report() *state.Report {
	s.begun <- struct{}{}
	<-s.end
	return s.madeUp.Report()
}

// TestCloseLeavesNothing requires that Close ends connections that are idle, silent, or waiting for an answer, and
// waits for the last.
func TestCloseLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	source := slow{newMadeUp(4, "running"), make(chan struct{}), make(chan struct{})}
	s, err := Listen(Config{Addr: "0", Token: secret, Source: source})
	require.NoError(t, err)
	host := strings.TrimPrefix(target(t, s, ""), "http://")
	silent, err := net.Dial("tcp", host)
	require.NoError(t, err)
	defer silent.Close()
	busy, err := net.Dial("tcp", host)
	require.NoError(t, err)
	defer busy.Close()
	fmt.Fprintf(busy, "GET /report HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", secret)
	<-source.begun
	var closed sync.WaitGroup
	for range 2 {
		closed.Go(func() { s.Close() })
	}
	require.NoError(t, silent.SetReadDeadline(time.Now().Add(awaited)))
	_, err = silent.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF, "the silent one is cut off while the report is still made")
	close(source.end)
	closed.Wait()
	_, err = net.Dial("tcp", host)
	require.Error(t, err, "nobody listens any more")
	goleak.VerifyNone(t, before)
}
