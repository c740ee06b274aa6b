package pmi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ValueMax is the maximum length of a value in bytes: Slurm silently loses longer ones.
const ValueMax = 1024

// ErrClosed is returned if the launcher has closed the connection.
var ErrClosed = errors.New("the launcher has closed the connection")

// Conn is the connection to the launcher.
type Conn interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}

// Client is a process's end of PMI. It is for one goroutine.
type Client struct {
	conn     Conn
	lines    *bufio.Reader
	name     string // of the job's key-value space
	keyMax   int
	valueMax int
	failed   error // first failure; it has closed the connection
}

// lineMax bounds a line of the launcher.
const lineMax = 64 << 10

// Inherit returns the connection that a launcher has left as a descriptor, the value of PMI_FD.
func Inherit(descriptor string) (Conn, error) {
	n, err := strconv.Atoi(descriptor)
	if err != nil || n < 3 { // 0, 1 and 2 are the program's own
		return nil, fmt.Errorf("PMI_FD=%q is not the number of a descriptor above 2", descriptor)
	}
	var state syscall.Stat_t
	if err := syscall.Fstat(n, &state); err != nil || state.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return nil, fmt.Errorf("PMI_FD=%d is not an open socket: what a task of the launcher starts can't take part in "+
			"its job", n)
	}
	syscall.CloseOnExec(n)
	if err := syscall.SetNonblock(n, true); err != nil { // makes deadlines work
		return nil, fmt.Errorf("use the socket of PMI_FD: %w", err)
	}
	return os.NewFile(uintptr(n), "PMI"), nil
}

// Open greets the launcher. The client owns conn, and closes it at the first error. When ctx ends, so does a call, with
// the cause.
func Open(ctx context.Context, conn Conn) (*Client, error) {
	c := &Client{conn: conn, lines: bufio.NewReaderSize(conn, lineMax)}
	if err := c.greet(ctx); err != nil {
		conn.Close() // again, if the connection failed
		return nil, fmt.Errorf("greet the launcher by PMI: %w", err)
	}
	return c, nil
}

func (c *Client) greet(ctx context.Context) error {
	a, err := c.ask(ctx, "cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")
	if err != nil {
		return err
	}
	if a["pmi_version"] != "1" {
		return fmt.Errorf("it speaks version %q, this program version 1", a["pmi_version"])
	}
	if a, err = c.ask(ctx, "cmd=get_maxes", "maxes"); err != nil {
		return err
	}
	for name, to := range map[string]*int{"keylen_max": &c.keyMax, "vallen_max": &c.valueMax} {
		if *to, err = strconv.Atoi(a[name]); err != nil || *to < 1 {
			return fmt.Errorf("it says %s=%q", name, a[name])
		}
	}
	c.valueMax = min(c.valueMax, ValueMax)
	if a, err = c.ask(ctx, "cmd=get_my_kvsname", "my_kvsname"); err != nil {
		return err
	}
	if c.name = a["kvsname"]; c.name == "" {
		return errors.New("it names no key-value space")
	}
	return nil
}

// Name returns the name of the job's key-value space. The launcher has no other job with this name.
func (c *Client) Name() string { return c.name }

// Put puts a value, which the others can get after the next barrier. Neither may contain a space or a newline, nor the
// key "=".
func (c *Client) Put(ctx context.Context, key, value string) error {
	switch {
	case len(key) == 0 || len(key) > c.keyMax || strings.ContainsAny(key, " \n="):
		return fmt.Errorf("put %q by PMI: a key has 1 to %d bytes, without space, newline and =", key, c.keyMax)
	case len(value) == 0 || len(value) > c.valueMax || strings.ContainsAny(value, " \n"):
		return fmt.Errorf("put %q by PMI: the value has %d bytes, it may have 1 to %d, without space and newline", key,
			len(value), c.valueMax)
	}
	request := fmt.Sprintf("cmd=put kvsname=%s key=%s value=%s", c.name, key, value)
	if _, err := c.ask(ctx, request, "put_result"); err != nil {
		return fmt.Errorf("put %q by PMI: %w", key, err)
	}
	return nil
}

// Barrier returns when all processes of the job have called it.
func (c *Client) Barrier(ctx context.Context) error {
	if _, err := c.ask(ctx, "cmd=barrier_in", "barrier_out"); err != nil {
		return fmt.Errorf("wait for all processes by PMI: %w", err)
	}
	return nil
}

// Get returns the value that a process has put before a barrier.
func (c *Client) Get(ctx context.Context, key string) (string, error) {
	a, err := c.ask(ctx, fmt.Sprintf("cmd=get kvsname=%s key=%s", c.name, key), "get_result")
	if err != nil {
		return "", fmt.Errorf("get %q by PMI: %w", key, err)
	}
	return a["value"], nil
}

// Close tells the launcher that this process has finished, and closes the connection. It does not repeat an earlier
// failure.
func (c *Client) Close(ctx context.Context) error {
	if c.failed != nil {
		return nil
	}
	_, err := c.ask(ctx, "cmd=finalize", "finalize_ack")
	if err == nil {
		err = c.conn.Close()
	}
	if err != nil {
		return fmt.Errorf("end PMI: %w", err)
	}
	return nil
}

// ask sends a request, and returns the words of its answer. The first failure is the last: the other end may still be
// in the middle of an answer.
func (c *Client) ask(ctx context.Context, request, answer string) (words map[string]string, err error) {
	if c.failed != nil {
		return nil, c.failed
	}
	if words, err = c.exchange(ctx, request, answer); err != nil {
		c.failed = err
		c.conn.Close()
	}
	return words, err
}

func (c *Client) exchange(ctx context.Context, request, answer string) (map[string]string, error) {
	defer context.AfterFunc(ctx, func() { c.conn.SetDeadline(time.Unix(1, 0)) })() // long ago: ends reads and writes
	_, err := io.WriteString(c.conn, request+"\n")
	line := ""
	if err == nil {
		line, err = c.line()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.ErrClosedPipe):
		return nil, ErrClosed
	case err != nil:
		return nil, err
	}
	a := wordsOf(line)
	if a["cmd"] != answer {
		return nil, fmt.Errorf("the launcher answers %q", line)
	}
	if rc := a["rc"]; rc != "" && rc != "0" {
		return nil, fmt.Errorf("the launcher refuses it: rc=%s %s", rc, a["msg"])
	}
	return a, nil
}

func (c *Client) line() (string, error) {
	line, err := c.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", fmt.Errorf("the launcher sends a line of more than %d bytes", lineMax)
	}
	return strings.TrimRight(string(line), "\n"), err
}

// wordsOf splits a line. A value may contain "=".
func wordsOf(line string) map[string]string {
	w := make(map[string]string)
	for word := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(word, "=")
		w[name] = value
	}
	return w
}
