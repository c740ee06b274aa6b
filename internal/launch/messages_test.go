package launch

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// FuzzHostfile reads hostfiles: a valid one yields hosts that ssh accepts, with slots within bounds.
func FuzzHostfile(f *testing.F) {
	for _, text := range []string{"a slots=2\nb # a comment\n", "node[1-3]:2", "a slots = 4 max_slots=8", "a slots=0",
		"[", "::1 slots=3", "a slots=2 slots=2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		hosts, err := parseHostfile(bytes.NewReader(text), "hosts")
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "hosts:") || strings.Contains(err.Error(), "token too long"),
				"names the file: %v", err)
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

// FuzzSecret reads secrets: an invalid or nearly valid one is never shown.
func FuzzSecret(f *testing.F) {
	good := strings.Repeat("5a", secretBytes)
	for _, nearly := range []string{good[1:], good[:63] + "x", good + "5a"} {
		f.Add([]byte(nearly))
	}
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

// FuzzRendezvous reads rendezvous addresses: each process has one that can be dialled.
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
			return // no variable can contain it
		}
		setOnly(t, "PMI_FD="+descriptor, "PMI_RANK="+number, "PMI_SIZE="+count)
		task, err := detect()
		if err != nil {
			return
		}
		require.True(t, task.process >= 0 && task.process < task.processes && task.processes <= processesMax)
	})
}

func TestMessagesArrive(t *testing.T) {
	var b bytes.Buffer
	sent := departure{Addresses: []string{"127.0.0.1:1", "[fe80::1%eth0]:65535"}}
	require.NoError(t, handshake.WriteMessage(&b, sent))
	require.NoError(t, handshake.WriteMessage(&b, arrival{"host:7"}))
	var d departure
	require.NoError(t, handshake.ReadMessage(&b, departureBytesMax(2), &d))
	require.Equal(t, sent, d)
	require.NoError(t, d.check(2))
	var a arrival
	require.NoError(t, handshake.ReadMessage(&b, arrivalBytesMax, &a))
	require.NoError(t, a.check())
	require.ErrorIs(t, handshake.ReadMessage(&b, arrivalBytesMax, &a), io.EOF)
}

func TestLargestDepartureFits(t *testing.T) {
	d := departure{}
	for i := range 100 {
		d.Addresses = append(d.Addresses, fmt.Sprintf("%s:%d", strings.Repeat("h", addressBytesMax-6), 10000+i))
	}
	require.NoError(t, d.check(100))
	var b bytes.Buffer
	require.NoError(t, handshake.WriteMessage(&b, d))
	require.LessOrEqual(t, b.Len()-4, departureBytesMax(100))
	b.Reset()
	require.NoError(t, handshake.WriteMessage(&b, departure{Failed: strings.Repeat("\x00", failedBytesMax)}))
	require.LessOrEqual(t, b.Len()-4, departureBytesMax(1), "even if each byte takes six")
}

func TestBadMessagesAreRefused(t *testing.T) {
	for _, c := range []struct{ wire, says string }{
		{"", "EOF"},
		{"\x05\x00", "unexpected EOF"},
		{"\x05\x00\x00\x00{", "unexpected EOF"},
		{"\xff\xff\xff\xff", "4294967295 bytes, the most is 1024"},
		{"\x01\x04\x00\x00", "1025 bytes, the most is 1024"},
		{"\x02\x00\x00\x00[]", "decode message"},
	} {
		var a arrival
		err := handshake.ReadMessage(strings.NewReader(c.wire), arrivalBytesMax, &a)
		require.ErrorContains(t, err, c.says)
	}
	for _, address := range []string{"", "host", "host:", "host:0", "host:65536", "host:-1", ":5", "a:b:1",
		strings.Repeat("h", 300) + ":1"} {
		require.Error(t, arrival{address}.check(), address)
	}
	require.ErrorContains(t, departure{Addresses: []string{"a:1"}}.check(2), "1 addresses for 2 processes")
	require.ErrorContains(t, departure{Addresses: []string{"a:1", "b"}}.check(2), "process 1")
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte("\x14\x00\x00\x00{\"Address\":\"host:7\"}"))
	f.Add([]byte("\x15\x00\x00\x00{\"Addresses\":[\"h:7\"]}"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		var a arrival
		if handshake.ReadMessage(bytes.NewReader(wire), arrivalBytesMax, &a) == nil && a.check() == nil {
			var again arrival
			var b bytes.Buffer
			require.NoError(t, handshake.WriteMessage(&b, a))
			require.NoError(t, handshake.ReadMessage(&b, 6*arrivalBytesMax, &again))
			require.Equal(t, a, again)
		}
		var d departure
		if handshake.ReadMessage(bytes.NewReader(wire), departureBytesMax(1), &d) == nil && d.Failed == "" &&
			d.check(1) == nil {
			require.Len(t, d.Addresses, 1)
		}
	})
}
