package limits

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The tests' program is the second process if this variable is set to a role.
const roleVariable = "BARE_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := answer(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// pairs are small ones of both kinds.
var pairs = map[string]Pair{
	"stream":    {Messages: 1000, Bytes: 4096},
	"one word":  {Messages: 1000, Bytes: 8},
	"ping-pong": {Messages: 200, Bytes: 64, PingPong: true},
}

func answer(role string) error {
	switch p := pairs[role]; os.Getenv(roleVariable + "_BY") {
	case "tcp":
		return AnswerTCP(p, os.Args[len(os.Args)-1])
	case "ring":
		return AnswerRing(p)
	case "tcp, late": // connects, and leaves in the middle
		c, err := net.Dial("tcp", os.Args[len(os.Args)-1])
		if err != nil {
			return err
		}
		_, err = io.WriteString(c, os.Getenv(secretVariable))
		return errors.Join(err, c.Close(), errors.New("has had enough"))
	}
	return errors.New("has had enough")
}

func (p Pair) by(t *testing.T, role, way string) Pair {
	self, err := os.Executable()
	require.NoError(t, err)
	p.Second = []string{self}
	t.Setenv(roleVariable, role)
	t.Setenv(roleVariable+"_BY", way)
	return p
}

func TestPairs(t *testing.T) {
	for way, measure := range map[string]func(Pair) (Report, error){"tcp": TCP, "ring": Ring} {
		for role, p := range pairs {
			t.Run(way+" "+role, func(t *testing.T) {
				r, err := measure(p.by(t, role, way))
				require.NoError(t, err)
				require.Equal(t, "limit-"+way, r.App)
				require.Zero(t, r.Errors)
				require.Equal(t, 2, r.Procs)
				require.EqualValues(t, p.Messages*p.Bytes, r.Bytes)
				require.Positive(t, r.Seconds)
				if p.PingPong {
					require.InEpsilon(t, r.Seconds/float64(2*p.Messages), r.SecondsPerHop, 1e-9)
				} else {
					require.InEpsilon(t, float64(r.Bytes)/r.Seconds, r.BytesPerSecond, 1e-9)
				}
			})
		}
	}
}

// A failure of the second process, early or late, is reported, and the first does not wait for it.
func TestLosingTheSecond(t *testing.T) {
	for way, measure := range map[string]func(Pair) (Report, error){"tcp, gone": TCP, "tcp, late": TCP,
		"ring, gone": Ring} {
		for role, p := range pairs {
			_, err := measure(p.by(t, role, way))
			require.ErrorContains(t, err, "exit status 1: has had enough", "%s %s", way, role)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it was waited for to the end")
		}
	}
	_, err := Ring(Pair{Second: []string{"/no/such/program"}, Messages: 1, Bytes: 8})
	require.ErrorContains(t, err, "start the second process")
	_, err = TCP(Pair{Second: []string{"/no/such/program"}, Messages: 1, Bytes: 8})
	require.ErrorContains(t, err, "start the second process")
}

// A connection without the secret is rejected, and does not keep the right one out.
func TestStrangers(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	var strangers []net.Conn
	for _, says := range []string{"wrong", ""} {
		c, err := net.Dial("tcp", listener.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		_, err = io.WriteString(c, says)
		require.NoError(t, err)
		strangers = append(strangers, c)
	}
	right, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	defer right.Close()
	_, err = io.WriteString(right, "right")
	require.NoError(t, err)
	met, err := accept(listener, "right")
	require.NoError(t, err)
	defer met.Close()
	require.Equal(t, right.LocalAddr(), met.RemoteAddr())
	for _, c := range strangers {
		_, err := c.Read(make([]byte, 1))
		require.Error(t, err)
	}
}

// The second process cannot be started by hand.
func TestAnsweringNobody(t *testing.T) {
	t.Setenv(secretVariable, "")
	require.ErrorContains(t, AnswerTCP(pairs["stream"], "127.0.0.1:1"), "started by limit tcp alone")
	t.Setenv(secretVariable, "x")
	require.Error(t, AnswerTCP(pairs["stream"], "127.0.0.1:1"))
	self, err := os.Executable()
	require.NoError(t, err)
	small, err := os.Create(filepath.Join(t.TempDir(), "small"))
	require.NoError(t, err)
	defer small.Close()
	for _, files := range [][]*os.File{nil, {small}} {
		c := exec.Command(self)
		c.Env = append(os.Environ(), roleVariable+"=stream", roleVariable+"_BY=ring")
		c.ExtraFiles = files
		out, err := c.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "started by limit ring alone")
	}
}

// The second process counts wrong words, and sends their number last.
func TestFindsWrongWords(t *testing.T) {
	f, err := sharedFile()
	require.NoError(t, err)
	defer f.Close()
	p := Pair{Messages: 40, Bytes: 16}
	require.NoError(t, f.Truncate(int64(ringSize(p.Bytes))))
	ends := make([]*ringEnd, 2)
	for way := range ends {
		r, err := over(f, p.Bytes, func() error { return nil })
		require.NoError(t, err)
		defer r.close()
		ends[way] = &ringEnd{ring: r, way: way}
	}
	second := make(chan error)
	go func() { second <- p.follow(ends[1]) }()
	message := make([]uint64, p.Bytes/8)
	require.NoError(t, ends[0].send(bytesOf(message)))
	require.NoError(t, ends[0].receive(bytesOf(message)))
	for i := uint64(1); i <= uint64(p.Messages); i++ {
		message[0] = i + i/10%2 // wrong from 10 to 19 and from 30 to 39
		require.NoError(t, ends[0].send(bytesOf(message)))
	}
	require.NoError(t, ends[0].receive(bytesOf(message)))
	require.NoError(t, <-second)
	require.EqualValues(t, 20, message[0])
}

func TestUpdates(t *testing.T) {
	u := Updates{Log2Words: 10, Tables: 3, PerWord: 4}
	plain, err := u.Run()
	require.NoError(t, err)
	require.Zero(t, plain.Errors)
	require.EqualValues(t, 3*4*1024, plain.Updates)
	u.Huge = true
	huge, err := u.Run()
	require.NoError(t, err)
	require.Equal(t, plain.Checksum, huge.Checksum)
	u.PerWord = 5
	other, err := u.Run()
	require.NoError(t, err)
	require.NotEqual(t, plain.Checksum, other.Checksum)
	require.Equal(t, checksum(serialTables(5)), other.Checksum, "as one after the other")
	for _, bad := range []Updates{{}, {Log2Words: 33, Tables: 1, PerWord: 1}, {Log2Words: 4, Tables: 1, PerWord: 4},
		{Log2Words: 10, PerWord: 1}} {
		_, err := bad.Run()
		require.ErrorContains(t, err, "give 1 to 32")
	}
}

// serialTables returns three tables of 1,024 words after serial updates by the definition of the stream: x^(n+1) = 2
// x^n, reduced by the polynomial 7 if the highest bit was set.
func serialTables(perWord int) [][]uint64 {
	tables := make([][]uint64, 3)
	for i := range tables {
		tables[i] = make([]uint64, 1024)
		for j := range tables[i] {
			tables[i][j] = uint64(j)
		}
		ran := uint64(i)*0x9E3779B97F4A7C15 + 1
		for range perWord * 1024 {
			high := ran >> 63
			ran <<= 1
			if high == 1 {
				ran ^= 7
			}
			tables[i][ran%1024] ^= ran
		}
	}
	return tables
}

func TestMisplaced(t *testing.T) {
	require.EqualValues(t, 2, misplaced([][]uint64{{0, 1, 3}, {0, 0, 2}}))
	require.NotEqual(t, checksum([][]uint64{{1, 2}}), checksum([][]uint64{{2, 1}}))
}

func TestCopies(t *testing.T) {
	r, err := Copies{Bytes: 4096, Pieces: 3, Rounds: 2}.Run()
	require.NoError(t, err)
	require.Zero(t, r.Errors)
	require.EqualValues(t, 3*2*4096, r.Bytes)
	for _, bad := range []Copies{{}, {Bytes: 12, Pieces: 1, Rounds: 1}, {Bytes: 8, Rounds: 1}, {Bytes: 8, Pieces: 1}} {
		_, err := bad.Run()
		require.ErrorContains(t, err, "give a multiple of 8")
	}
}

func TestSwitches(t *testing.T) {
	r, err := Switches{Rounds: 100}.Run()
	require.NoError(t, err)
	require.Zero(t, r.Errors)
	require.InEpsilon(t, r.Seconds/200, r.SecondsPerHop, 1e-9)
	_, err = Switches{}.Run()
	require.ErrorContains(t, err, "give one or more")
}

func TestBadPairs(t *testing.T) {
	for _, bad := range []Pair{{}, {Messages: 1, Bytes: 12}, {Bytes: 8}} {
		for _, measure := range []func(Pair) (Report, error){TCP, Ring} {
			_, err := measure(bad)
			require.ErrorContains(t, err, "give a multiple of 8")
		}
		require.ErrorContains(t, AnswerTCP(bad, ""), "give a multiple of 8")
		require.ErrorContains(t, AnswerRing(bad), "give a multiple of 8")
	}
}
