package launch

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzHostfile reads hostfiles: what is read is a list of hosts that ssh takes for such, with slots within bounds.
func FuzzHostfile(f *testing.F) {
	for _, text := range []string{"a slots=2\nb # a comment\n", "node[1-3]:2", "a slots = 4 max_slots=8", "a slots=0", "[", "::1 slots=3", "a slots=2 slots=2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		hosts, err := parseHostfile(bytes.NewReader(text), "hosts")
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "hosts:") || strings.Contains(err.Error(), "token too long"), "names the file: %v", err)
			return
		}
		require.NotEmpty(t, hosts)
		require.LessOrEqual(t, len(hosts), hostsMax)
		for _, h := range hosts {
			require.NoError(t, checkHost(h.Name))
			require.True(t, h.Slots >= 0 && h.Slots <= processesMax)
		}
	})
}

// FuzzSecret reads secrets: what is no secret is never shown.
func FuzzSecret(f *testing.F) {
	f.Add([]byte(formatSecret(make([]byte, secretBytes))))
	f.Add([]byte("correct horse battery staple"))
	f.Fuzz(func(t *testing.T, text []byte) {
		secret, err := parseSecret(text)
		if err != nil {
			require.EqualError(t, err, "it is not 64 hexadecimal digits")
			return
		}
		require.Len(t, secret, secretBytes)
		again, err := parseSecret([]byte(formatSecret(secret)))
		require.NoError(t, err)
		require.Equal(t, secret, again)
	})
}

// FuzzRendezvous reads addresses where processes meet: each process has one that can be dialled.
func FuzzRendezvous(f *testing.F) {
	for _, text := range []string{"h:1", "w-%d.w:7473", "[::1]:5", "h-%s:1", "h:%d", ":1", "h:0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if checkRendezvous(text) != nil {
			return
		}
		for _, process := range []int{0, 7, processesMax - 1} {
			_, port, err := net.SplitHostPort((&task{rendezvous: text}).addressOf(process))
			require.NoError(t, err)
			require.NotEqual(t, "0", port)
		}
	})
}

// FuzzDetect reads the variables of other launchers: a task's number is below the count, and both are within bounds.
func FuzzDetect(f *testing.F) {
	f.Add("8", "1", "4")
	f.Add("", "-1", "4")
	f.Add("x", "99999999999999999999", "0")
	f.Fuzz(func(t *testing.T, descriptor, number, count string) {
		if strings.ContainsRune(descriptor+number+count, 0) {
			return // no variable has it
		}
		setOnly(t, "PMI_FD="+descriptor, "PMI_RANK="+number, "PMI_SIZE="+count)
		task, err := detect()
		if err != nil {
			return
		}
		require.True(t, task.process >= 0 && task.process < task.processes && task.processes <= processesMax)
	})
}
