package pmi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch/pmi"
	"github.com/activepebbles/pebbles/internal/launch/pmi/pmitest"
)

func TestProcessesExchangeValues(t *testing.T) {
	const processes = 5
	m := &pmitest.Manager{Processes: processes}
	ctx := context.Background()
	var all sync.WaitGroup
	got := make([]string, processes)
	failed := make([]error, processes)
	for i := range processes {
		all.Go(func() {
			failed[i] = func() error {
				c, err := pmi.Open(ctx, m.Connect(i))
				if err != nil {
					return err
				}
				if err := c.Put(ctx, fmt.Sprintf("card-%d", i), fmt.Sprintf("a=%d", i)); err != nil {
					return err
				}
				if err := c.Barrier(ctx); err != nil {
					return err
				}
				if got[i], err = c.Get(ctx, fmt.Sprintf("card-%d", (i+1)%processes)); err != nil {
					return err
				}
				return c.Close(ctx)
			}()
		})
	}
	all.Wait()
	m.Wait()
	for i := range processes {
		require.NoError(t, failed[i])
		require.Equal(t, fmt.Sprintf("a=%d", (i+1)%processes), got[i])
	}
}

func TestWrongAnswers(t *testing.T) {
	for _, c := range []struct{ name, request, answer, says string }{
		{"closes at once", "cmd=init", "", "greet the launcher by PMI: the launcher has closed the connection"},
		{"closes in mid-exchange", "cmd=barrier_in", "",
			"wait for all processes by PMI: the launcher has closed the connection"},
		{"another version", "cmd=init", "cmd=response_to_init pmi_version=2 rc=0", `it speaks version "2"`},
		{"refuses", "cmd=init", "cmd=response_to_init pmi_version=1 rc=-1 msg=busy", "the launcher refuses it: rc=-1 busy"},
		{"no sizes", "cmd=get_maxes", "cmd=maxes keylen_max=64 vallen_max=x", `it says vallen_max="x"`},
		{"no name", "cmd=get_my_kvsname", "cmd=my_kvsname", "it names no key-value space"},
		{"something else", "cmd=put", "cmd=mcmd", `put "k" by PMI: the launcher answers "cmd=mcmd"`},
		{"a key that is not there", "cmd=nothing", "",
			`get "other" by PMI: the launcher refuses it: rc=-1 key_other_not_found`},
		{"a line without end", "cmd=put", strings.Repeat("x", 1<<17), "a line of more than 65536 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &pmitest.Manager{Processes: 1, Answer: func(_ int, request, answer string) string {
				if strings.HasPrefix(request, c.request) {
					return c.answer
				}
				return answer
			}}
			ctx := context.Background()
			client, err := pmi.Open(ctx, m.Connect(0))
			if err == nil {
				err = errors.Join(client.Put(ctx, "k", "v"), client.Barrier(ctx))
				if err == nil {
					_, err = client.Get(ctx, "other")
				}
				client.Close(ctx)
			}
			require.ErrorContains(t, err, c.says)
			m.Wait()
		})
	}
}

// TestBadKeysAndValues also uses a launcher that promises more room for values than Slurm keeps.
func TestBadKeysAndValues(t *testing.T) {
	for _, promised := range []string{"vallen_max=1024", "vallen_max=4096"} {
		m := &pmitest.Manager{Processes: 1, Answer: func(_ int, request, answer string) string {
			return strings.Replace(answer, "vallen_max=1024", promised, 1)
		}}
		ctx := context.Background()
		client, err := pmi.Open(ctx, m.Connect(0))
		require.NoError(t, err)
		for _, key := range []string{"", "a b", "a=b", "a\nb", strings.Repeat("k", 65)} {
			require.ErrorContains(t, client.Put(ctx, key, "v"), "a key has 1 to 64 bytes")
		}
		for _, value := range []string{"", "a b", "a\nb", strings.Repeat("v", pmi.ValueMax+1)} {
			require.ErrorContains(t, client.Put(ctx, "k", value), "it may have 1 to 1024")
		}
		require.NoError(t, client.Put(ctx, "k", strings.Repeat("v", pmi.ValueMax)))
		require.NoError(t, client.Close(ctx))
	}
}

// TestEndOfContext makes a process wait for one that never comes.
func TestEndOfContext(t *testing.T) {
	m := &pmitest.Manager{Processes: 2}
	ctx, cancel := context.WithCancelCause(context.Background())
	client, err := pmi.Open(ctx, m.Connect(0))
	require.NoError(t, err)
	why := errors.New("it is late")
	go cancel(why)
	require.ErrorIs(t, client.Barrier(ctx), why)
	client.Close(ctx)
	m.Wait()
}

func TestInheritedSocket(t *testing.T) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	conn, err := pmi.Inherit(fmt.Sprint(pair[0]))
	require.NoError(t, err)
	launcher := os.NewFile(uintptr(pair[1]), "launcher")
	other, err := net.FileConn(launcher)
	require.NoError(t, err)
	require.NoError(t, launcher.Close())
	require.NoError(t, other.Close())
	_, err = pmi.Open(context.Background(), conn)
	require.ErrorIs(t, err, pmi.ErrClosed)

	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer file.Close()
	for text, says := range map[string]string{
		"": "not the number of a descriptor", "2": "not the number of a descriptor", "x": "not the number of a descriptor",
		"999999": "not an open socket", fmt.Sprint(file.Fd()): "not an open socket",
	} {
		_, err := pmi.Inherit(text)
		require.ErrorContains(t, err, says)
	}
}

// said is a launcher that sends given text for any request.
type said struct{ io.Reader }

func (said) Write(b []byte) (int, error)   { return len(b), nil }
func (said) Close() error                  { return nil }
func (said) SetDeadline(time.Time) error   { return nil }
func saying(text []byte) pmi.Conn          { return said{bytes.NewReader(text)} }
func inOrder(lines ...string) (all []byte) { return append(all, joined(lines)...) }
func joined(lines []string) (text string) {
	for _, line := range lines {
		text += line + "\n"
	}
	return text
}

// FuzzAnswers lets a launcher answer anything: the client keeps to its bounds, and ends.
func FuzzAnswers(f *testing.F) {
	greeting := []string{
		"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
		"cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=4096", "cmd=my_kvsname kvsname=j",
	}
	f.Add(inOrder(append(greeting, "cmd=put_result rc=0", "cmd=barrier_out", "cmd=get_result rc=0 value=a=b",
		"cmd=finalize_ack")...))
	f.Add(inOrder(append(greeting, "cmd=put_result rc=-1 msg=full")...))
	f.Add(inOrder("cmd=response_to_init pmi_version=2"))
	f.Add([]byte("cmd=response_to_init pmi_version=1\ncmd=maxes keylen_max=-1 vallen_max=99999999999999999999\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		ctx := context.Background()
		c, err := pmi.Open(ctx, saying(text))
		if err != nil {
			return
		}
		require.NotEmpty(t, c.Name())
		require.Error(t, c.Put(ctx, "k", string(make([]byte, pmi.ValueMax+1))))
		_ = c.Put(ctx, "k", "v")
		_ = c.Barrier(ctx)
		value, err := c.Get(ctx, "k")
		require.True(t, err == nil || value == "")
		require.NotContains(t, value, " ")
		_ = c.Close(ctx)
	})
}
