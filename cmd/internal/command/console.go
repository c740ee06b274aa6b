package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Control sequences for programs that use the whole screen.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // another screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	lineEnd     = "\x1b[K\r\n" // clears the rest of the line
)

// console is a terminal whose whole screen belongs to a program, which gets each key immediately.
type console struct {
	in, out *os.File
	before  *term.State
	stop    func() error // stops this process and its process group, as a shell expects
}

func openConsole(in, out *os.File) (*console, error) {
	c := &console{in: in, out: out, stop: func() error { return syscall.Kill(0, syscall.SIGTSTP) }}
	return c, c.enter()
}

func (c *console) enter() (err error) {
	if c.before, err = term.MakeRaw(int(c.in.Fd())); err != nil {
		return fmt.Errorf("take the terminal: %w", err)
	}
	_, err = c.out.WriteString(enterScreen)
	return err
}

// leave restores the terminal.
func (c *console) leave() error {
	_, _ = c.out.WriteString(leaveScreen)
	if err := term.Restore(int(c.in.Fd()), c.before); err != nil {
		return fmt.Errorf("restore the terminal: %w", err)
	}
	return nil
}

func (c *console) close() error {
	_ = c.in.SetReadDeadline(time.Now()) // ends keys, where supported
	return c.leave()
}

// suspend leaves the terminal to other processes until this process continues.
func (c *console) suspend(ctx context.Context) error {
	if err := c.leave(); err != nil {
		return err
	}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := c.stop(); err != nil {
		return err
	}
	select {
	case <-continued:
	case <-ctx.Done():
	}
	return c.enter()
}

func (c *console) size() (width, height int) {
	width, height, err := term.GetSize(int(c.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// draw shows lines, at most as many as the screen has. It ignores errors of a lost terminal, which keys also reports.
func (c *console) draw(lines []string) {
	_, _ = c.out.WriteString("\x1b[H" + strings.Join(lines, lineEnd) + "\x1b[K\x1b[J")
}

// keys returns the pressed keys, by name, until the terminal is lost.
func (c *console) keys(ctx context.Context) <-chan string {
	keys := make(chan string)
	go func() {
		defer close(keys)
		var rest []byte
		for piece := make([]byte, 256); ; {
			n, err := c.in.Read(piece)
			if err != nil || n == 0 {
				return
			}
			rest = append(rest, piece[:n]...)
			for key := ""; len(rest) > 0; {
				if key, rest = nextKey(rest); key == "" {
					break
				}
				select {
				case keys <- key:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return keys
}

// keyNames maps the codes of keys, after an escape and a bracket or an O, to names.
var keyNames = map[string]string{
	"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end",
	"1~": "home", "7~": "home", "4~": "end", "8~": "end", "5~": "pgup", "6~": "pgdown",
}

// nextKey returns the name of the first key in the input, and the rest. An empty name means that more input is needed.
func nextKey(text []byte) (key string, rest []byte) {
	switch {
	case text[0] == 3:
		return "ctrl+c", text[1:]
	case text[0] == 26:
		return "ctrl+z", text[1:]
	case text[0] != 0x1b || len(text) == 1:
		r, size := utf8.DecodeRune(text)
		if r == 0x1b {
			return "esc", text[size:]
		}
		return string(r), text[size:]
	case text[1] != '[' && text[1] != 'O':
		return "esc", text[1:]
	}
	for i := 2; i < len(text); i++ {
		if text[i] >= 0x40 && text[i] <= 0x7e { // last byte of a sequence
			if name := keyNames[string(text[2:i+1])]; name != "" {
				return name, text[i+1:]
			}
			return "unknown", text[i+1:]
		}
	}
	return "", text
}
