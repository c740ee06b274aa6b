package launch

import (
	"bytes"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// A host without the launcher's executable reports that, with the exit status of a shell.
func TestHostWithoutTheLauncher(t *testing.T) {
	script := remoteScript(&Spec{Dir: "/", Program: []string{"true"}}, "j", "/no/such/pebbles")
	out, err := exec.Command("sh", "-c", script).CombinedOutput()
	require.EqualError(t, err, "exit status 127")
	require.Equal(t, "the launcher, /no/such/pebbles, is not on this host: install it at the same path, it starts the "+
		"processes here\n", string(out))
}

// An agent reports each process that it can't start, as a shell would.
func TestAgentWithoutTheProgram(t *testing.T) {
	in, launcher := io.Pipe()
	defer launcher.Close()
	go func() {
		_ = handshake.WriteMessage(launcher, order{
			Job: "j", Secret: testSecret, Processes: 3, Ranks: 3, First: 1, Last: 2, Toward: "127.0.0.1",
			StartLimit: time.Hour, SilenceLimit: time.Hour, Grace: time.Hour,
		})
	}()
	var out bytes.Buffer
	require.Zero(t, runAgent([]string{"/no/such/program"}, in, &out))
	var printed string
	var ended []word
	for {
		var w word
		if handshake.ReadMessage(&out, wordBytesMax, &w) != nil {
			break
		}
		printed += string(w.Text)
		if w.Ended {
			ended = append(ended, w)
		}
	}
	require.Equal(t, []word{{Process: 1, Ended: true, Status: 127}}, ended)
	require.Contains(t, printed, "/no/such/program: no such file or directory")
}

// An invalid order ends an agent, and so does an invalid address.
func TestAgentWithoutAnOrder(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, ExitFollower, runAgent(nil, bytes.NewReader([]byte{2, 0, 0, 0, '[', ']'}), &out))
	require.Zero(t, out.Len())
	var in bytes.Buffer
	wrong := order{Job: "j", Last: 1, Processes: 1, Ranks: 1, Toward: "no address"}
	require.NoError(t, handshake.WriteMessage(&in, wrong))
	require.Equal(t, ExitError, runAgent([]string{"true"}, &in, &out))
	var w word
	require.NoError(t, handshake.ReadMessage(&out, wordBytesMax, &w))
	require.Contains(t, w.Failed, "find the address of this host")
}
