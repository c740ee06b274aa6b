package launch

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

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
	for _, address := range []string{"", "host", "host:", "host:0", "host:65536", "host:-1", ":5", "a:b:1", strings.Repeat("h", 300) + ":1"} {
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
		if handshake.ReadMessage(bytes.NewReader(wire), departureBytesMax(1), &d) == nil && d.Failed == "" && d.check(1) == nil {
			require.Len(t, d.Addresses, 1)
		}
	})
}
