package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// small returns a short trace with events of all sorts.
func small(t testing.TB, c Config) []byte {
	t.Helper()
	f := create(t, c)
	for i := range time.Duration(2) {
		f.Rank(c.First).Slice(Handler, 3, 10*i, 10*i+5, 7, 0)
		f.Rank(c.First).Slice(Epoch, Name(i), 10*i, 10*i+6, 1, 2)
		f.Rank(c.First).Instant(Flush, 2, 10*i, 100, 0)
		f.Counter(c.First, "bytes held", 10*i, 1)
		require.NoError(t, f.Drain())
	}
	f.Rank(c.First).Slice(Handler, 3, -99, 99, 7, 0)
	require.NoError(t, f.Close())
	return read(t, f.path)
}

// ends returns the ends of the packets of a trace, as found by the protobuf library.
func ends(t testing.TB, trace []byte) (all []int) {
	for at := 0; at < len(trace); {
		n := protowire.ConsumeFieldValue(1, protowire.BytesType, trace[at+1:])
		require.Positive(t, n)
		at += 1 + n
		all = append(all, at)
	}
	return all
}

func TestCutAtEveryByte(t *testing.T) {
	trace := small(t, configOf(0, 1, 1))
	all := ends(t, trace)
	require.Greater(t, len(all), 20)
	path := filepath.Join(t.TempDir(), "cut")
	jobEnds := all[2]
	for cut := range trace {
		whole := 0
		for _, end := range all {
			if end <= cut {
				whole = end
			}
		}
		require.NoError(t, os.WriteFile(path, trace[:cut], 0o600))
		var out bytes.Buffer
		sum, err := Merge(&out, []string{path})
		if cut < jobEnds {
			require.ErrorContains(t, err, "does not name its job")
			require.Zero(t, out.Len())
			continue
		}
		require.NoError(t, err)
		require.Equal(t, trace[:whole], out.Bytes(), "cut at %d", cut)
		if cut == whole {
			require.Empty(t, sum.Problems)
			continue
		}
		require.Len(t, sum.Problems, 1)
		require.Contains(t, sum.Problems[0], "its last packet is cut")
	}
	view(t, trace)
}

// TestFlippedBytes requires that Merge outputs whole packets of the file and nothing else, whichever byte is damaged.
func TestFlippedBytes(t *testing.T) {
	trace := small(t, configOf(0, 1, 1))
	path := filepath.Join(t.TempDir(), "flipped")
	for i := range trace {
		damaged := bytes.Clone(trace)
		damaged[i] ^= []byte{1, 0x80, 0xff}[i%3]
		merges(t, path, damaged)
	}
}

// merges merges a file with arbitrary contents, and checks the invariants.
func merges(t testing.TB, path string, trace []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, trace, 0o600))
	var out bytes.Buffer
	sum, err := Merge(&out, []string{path})
	if err != nil {
		require.Zero(t, out.Len())
		return
	}
	require.NotEmpty(t, sum.String())
	at := 0
	for rest := out.Bytes(); len(rest) > 0; { // each packet is one of the file's, in its order
		n := 1 + protowire.ConsumeFieldValue(1, protowire.BytesType, rest[1:])
		require.Positive(t, n)
		found := bytes.Index(trace[at:], rest[:n])
		require.GreaterOrEqual(t, found, 0)
		at += found + n
		rest = rest[n:]
	}
	if out.Len() < len(trace) {
		require.NotEmpty(t, sum.Problems)
	}
}

func FuzzMerge(f *testing.F) {
	trace := small(f, configOf(0, 1, 1))
	f.Add(trace)
	f.Add(small(f, configOf(2, 3, 2)))
	f.Add(trace[:len(trace)/2])
	f.Add([]byte{})
	f.Add([]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Add([]byte("\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"))
	f.Add(append(bytes.Clone(trace), "\x0a\xff\xff\xff\x7f"...))
	path := filepath.Join(f.TempDir(), "any")
	f.Fuzz(func(t *testing.T, trace []byte) { merges(t, path, trace) })
}

// FuzzParse requires that the reader and the library accept the same messages.
func FuzzParse(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x08\x96\x01\x12\x03abc\x19\x01\x02\x03\x04\x05\x06\x07\x08\x25\x01\x02\x03\x04"))
	f.Add([]byte("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"))
	f.Fuzz(func(t *testing.T, message []byte) {
		var sizes []int
		ok := each(message, func(f *field) { sizes = append(sizes, f.number) })
		var want []int
		wantOK := true
		for rest := message; len(rest) > 0 && wantOK; {
			number, _, n := protowire.ConsumeField(rest)
			tag, _ := protowire.ConsumeVarint(rest)
			wantOK = n > 0 && number <= protowire.MaxValidNumber && tag&7 != 3 // traces have no groups
			if wantOK {
				want = append(want, int(number))
				rest = rest[n:]
			}
		}
		require.Equal(t, wantOK, ok)
		require.Equal(t, want, sizes)
	})
}

// TestLongPackets requires that a long packet does not take memory.
func TestLongPackets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long")
	problems := func(packet []byte) []string {
		trace := append(small(t, configOf(0, 1, 1)), protowire.AppendBytes([]byte{0x0a}, packet)...)
		require.NoError(t, os.WriteFile(path, trace, 0o600))
		return summed(t, path).Problems
	}
	long := problems(make([]byte, packetMost+1))
	require.Len(t, long, 1)
	require.Contains(t, long[0], "it is damaged")
	fits := append([]byte("\x50\x01\xa2\x38"), protowire.AppendBytes(nil, make([]byte, packetMost-16))...)
	require.Empty(t, problems(fits))
}
