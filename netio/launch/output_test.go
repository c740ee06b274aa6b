package launch

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestLinesAreTheSameInAnyPieces(t *testing.T) {
	text := "a\n\nbb\n" + strings.Repeat("c", 100_000) + "\nd"
	want := "[1] a\n[1] \n[1] bb\n[1] " + strings.Repeat("c", 100_000) + "\n[1] d\n"
	require.Equal(t, want, forwarded(strings.NewReader(text)))
	require.Equal(t, want, forwarded(iotest.OneByteReader(strings.NewReader(text))))
}

func forwarded(r io.Reader) string {
	var b bytes.Buffer
	l := &lines{mu: new(sync.Mutex), to: &b, prefix: "[1] "}
	l.copy(r)
	return b.String()
}

func TestEndlessLineIsCut(t *testing.T) {
	out := forwarded(strings.NewReader(strings.Repeat("x", 2*lineBytesMax+5)))
	piece := "[1] " + strings.Repeat("x", lineBytesMax) + "\n"
	require.Equal(t, piece+piece+"[1] xxxxx\n", out)
}

type full struct{ writes int }

func (f *full) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("no space left")
}

func TestOutputThatCannotBeWrittenIsStillRead(t *testing.T) {
	r := strings.NewReader(strings.Repeat("line\n", 100_000))
	f := &full{}
	l := &lines{mu: new(sync.Mutex), to: f}
	l.copy(r)
	require.Zero(t, r.Len())
	require.Equal(t, 1, f.writes)
}

// TestQuote asks a real shell.
func TestQuote(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	words := []string{"", "'", "''", "\n", "$(id)", "`id`", `\`, `\'`, "a b", "*"}
	for range 200 {
		b := make([]byte, random.IntN(20))
		for i := range b {
			b[i] = byte(1 + random.IntN(255))
		}
		words = append(words, string(b))
	}
	script := "printf '%s\\0'"
	for _, w := range words {
		script += " " + quote(w)
	}
	out, err := exec.Command("sh", "-c", script).Output()
	require.NoError(t, err)
	require.Equal(t, strings.Join(words, "\x00")+"\x00", string(out))
}
