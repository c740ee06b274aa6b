package launch

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
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
	l := &lines{output: new(output), to: &b, prefix: "[1] "}
	l.copy(r)
	return b.String()
}

func TestEndlessLineIsCut(t *testing.T) {
	const most = 100_000
	var b bytes.Buffer
	l := &lines{output: new(output), to: &b, prefix: "[1] ", most: most}
	l.copy(strings.NewReader(strings.Repeat("x", 2*most+5)))
	piece := "[1] " + strings.Repeat("x", most) + "\n"
	require.Equal(t, piece+piece+"[1] xxxxx\n", b.String())
}

type full struct{ writes int }

func (f *full) Write([]byte) (int, error) {
	f.writes++
	return 0, errors.New("no space left")
}

func TestOutputThatCannotBeWrittenIsStillRead(t *testing.T) {
	r := strings.NewReader(strings.Repeat("line\n", 100_000))
	f := &full{}
	l := &lines{output: new(output), to: f, from: "process 7"}
	l.copy(r)
	require.Zero(t, r.Len())
	require.Equal(t, 1, f.writes)
	require.EqualError(t, l.err, "forward the output of process 7: no space left")
}

// A line may be longer than any piece that is read, and lines of other processes don't interrupt it.
func TestLongLinesAreNotCut(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	require.Equal(t, "[1] "+long+"\n[1] "+long+"\n", forwarded(strings.NewReader(long+"\n"+long+"\n")))
}

func TestRawOutputIsPassedOnAsItComes(t *testing.T) {
	var b bytes.Buffer
	l := &lines{output: new(output), to: &b, raw: true}
	l.add([]byte("name? "))
	require.Equal(t, "name? ", b.String(), "a prompt has no line end")
	l.copy(strings.NewReader("\x00\n\xff no line end"))
	require.Equal(t, "name? \x00\n\xff no line end", b.String())
}

// slow is a reader of output that reads nothing until allowed.
type slow struct {
	may  chan struct{}
	text bytes.Buffer
}

func (s *slow) Write(text []byte) (int, error) {
	<-s.may
	return s.text.Write(text)
}

// TestSlowReadersLoseNothing ends a job whose grandchild keeps the pipe, while a reader delays the output.
func TestSlowReadersLoseNothing(t *testing.T) {
	var o output
	s := &slow{may: make(chan struct{})}
	file, err := o.forward(&lines{to: s})
	require.NoError(t, err)
	defer file.Close()
	text := strings.Repeat("line\n", 8<<10) // more than is read at once, less than a pipe holds
	_, err = file.WriteString(text)
	require.NoError(t, err)
	o.setDeadline(0)
	close(s.may)
	o.readers.Wait()
	require.Equal(t, text, s.text.String())
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

// The newest output of ssh before its shell runs is kept, up to a bound. The line of the shell is found after it.
func TestEndlessLoginIsCut(t *testing.T) {
	noise, reached := strings.Repeat("x", 10*printedMax), make(chan *login, 1)
	listen := func(text string) (*login, string) {
		l := &login{ready: []byte("ready\n"), reached: reached, read: make(chan struct{})}
		return l, string(l.readOutput(strings.NewReader(text), make([]byte, 1000)))
	}
	l, _ := listen(noise + "refused")
	require.Len(t, l.printed, printedMax)
	require.True(t, strings.HasSuffix(string(l.printed), "xrefused"))
	require.Empty(t, reached)
	l, rest := listen(noise + "ready\nx")
	require.Len(t, reached, 1)
	require.Same(t, l, <-reached)
	require.True(t, strings.HasSuffix(rest, "xx"), "what comes with the word goes on, too")
}
