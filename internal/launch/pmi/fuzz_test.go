package pmi_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch/pmi"
)

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
