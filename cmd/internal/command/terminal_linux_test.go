package command

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// openTerminal makes a pseudo-terminal. Its output is readable from master.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no /dev/ptmx")
	}
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return master, terminal
}

func TestBarNeedsTerminal(t *testing.T) {
	require.Nil(t, newBar(&bytes.Buffer{}, "work", false).to)
	master, terminal := openTerminal(t)
	defer master.Close()
	defer terminal.Close()
	require.NotNil(t, newBar(terminal, "work", false).to)
	require.Nil(t, newBar(terminal, "work", true).to)
}

// TestProgressOnTerminal runs until a bar appears.
func TestProgressOnTerminal(t *testing.T) {
	for _, procs := range []string{"1", "2"} {
		t.Run("procs "+procs, func(t *testing.T) {
			t.Parallel()
			master, terminal := openTerminal(t)
			c := exec.Command(binary, "randomaccess", "--log2-words", "10", "--updates-per-word", "1e12", "--procs", procs)
			var stdout bytes.Buffer
			c.Stdout, c.Stderr = &stdout, terminal
			require.NoError(t, c.Start())
			terminal.Close()
			stuck := time.AfterFunc(limit, func() { _ = c.Process.Kill() })
			defer stuck.Stop()
			var screen strings.Builder
			for piece := make([]byte, 4096); !drawnBar.MatchString(screen.String()); {
				n, err := master.Read(piece)
				screen.Write(piece[:n])
				require.NoError(t, err, screen.String())
			}
			require.NoError(t, c.Process.Signal(os.Interrupt))
			go func() { // an unread terminal would block the command
				for piece := make([]byte, 4096); ; {
					if _, err := master.Read(piece); err != nil {
						return
					}
				}
			}()
			require.Error(t, c.Wait())
			master.Close()
			require.Equal(t, 130, c.ProcessState.ExitCode(), screen.String())
			require.Empty(t, stdout.String())
			for line := range strings.SplitSeq(screen.String(), "\r") {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, "%q", line)
			}
		})
	}
}

// drawnBar is a bar that has been drawn.
var drawnBar = regexp.MustCompile(`randomaccess: [0-9.]+[kMG]? of [0-9.]+[TP] updates(, [0-9.]+[kMG]?/s, [^ ]+( days)? left)? +0% \|`)

// TestBarFitsTerminals draws the widest bars on terminals of many widths.
func TestBarFitsTerminals(t *testing.T) {
	master, terminal := openTerminal(t)
	defer master.Close()
	for _, width := range []int{10, 40, 79, 80, 132} {
		require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24,
			Col: uint16(width)}))
		b := &bar{to: terminal, app: "randomaccess"}
		b.draw("updates", 1, math.MaxInt64)
		b.begun = b.begun.Add(-1000 * time.Hour)
		for _, done := range []uint64{1, math.MaxInt64 / 7, math.MaxInt64 / 3, math.MaxInt64/10*10 - 1} {
			b.drawn = false // draws immediately
			b.draw("updates", done, math.MaxInt64)
			piece := make([]byte, 1<<16)
			n, err := master.Read(piece)
			require.NoError(t, err)
			for line := range strings.SplitSeq(string(piece[:n]), "\r") {
				require.LessOrEqual(t, utf8.RuneCountInString(line), max(width, gauge+2), "%d columns: %q", width, line)
			}
		}
	}
	terminal.Close()
}
