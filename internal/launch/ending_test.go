package launch

import (
	"io"
	"math/rand/v2"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBlameFindsTheFirstCause(t *testing.T) {
	follower := Outcome{Process: 0, Status: ExitFollower}
	panicked := Outcome{Process: 1, Status: ExitPanic}
	killed := Outcome{Process: 2, Status: 137, Signal: syscall.SIGKILL}
	well := Outcome{Process: 3}
	asked := Outcome{Process: 4, Status: 143, signalled: true}
	late := Outcome{Process: 5, Status: ExitPanic, signalled: true}
	cut := Outcome{Process: 6, Status: 255, Host: "a", signalled: true}
	for _, c := range []struct {
		order []Outcome // in the order seen
		first int
	}{
		{[]Outcome{follower, panicked}, 1},
		{[]Outcome{panicked, killed}, 1},
		{[]Outcome{killed, panicked}, 2},
		{[]Outcome{well, follower, killed}, 2},
		{[]Outcome{follower, well}, 3},
		{[]Outcome{follower, asked}, 0},
		{[]Outcome{follower, asked, late}, 5},
		{[]Outcome{cut, follower, asked}, 0},
		{[]Outcome{late, killed}, 2},
		{[]Outcome{asked}, 4},
	} {
		first, lost := blame(c.order, nil)
		require.Equal(t, c.first, first.Process, c.order)
		require.Empty(t, lost)
	}
}

func TestNobodyIsBlamedForFollowingWhileSomeoneHasARealCause(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		order := []Outcome{{Process: 0, Status: ExitPanic}}
		for i := range random.IntN(8) {
			order = append(order, Outcome{Process: i + 1, Status: ExitFollower * random.IntN(2)})
		}
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		first, _ := blame(order, nil)
		require.Zero(t, first.Process, order)
	}
}

// TestComplaintsNameWhoSaysNothing has exits without information: of followers, and of processes killed by the
// launcher.
func TestComplaintsNameWhoSaysNothing(t *testing.T) {
	follower := func(process int) Outcome { return Outcome{Process: process, Status: ExitFollower} }
	stopped := Outcome{Process: 1, Status: 137, Signal: syscall.SIGKILL, signalled: true}
	crashed := Outcome{Process: 3, Status: 139, Signal: syscall.SIGSEGV}
	well := Outcome{Process: 4}
	of := func(by int, processes ...int) complaint {
		return complaint{Processes: processes, Cause: "silence", by: by}
	}
	for name, c := range map[string]struct {
		order []Outcome
		heard []complaint
		first int
		lost  string
	}{
		"one complains": {[]Outcome{follower(0), follower(2), stopped}, []complaint{of(2, 1)}, 1,
			"process 2: silence"},
		"one has ended well": {[]Outcome{well, follower(0), stopped}, []complaint{of(0, 1)}, 1, "process 0: silence"},
		"most are believed": {[]Outcome{follower(0), follower(2), stopped}, []complaint{of(4, 2), of(0, 1), of(3, 1)},
			1, "process 0: silence"},
		"who complains is alive": {[]Outcome{follower(0), follower(2), stopped}, []complaint{of(2, 0), of(4, 0), of(0, 1)},
			1, "process 0: silence"},
		"both complain": {[]Outcome{follower(0), follower(1)}, []complaint{of(0, 1), of(1, 0)}, 1,
			"process 0: silence"},
		"the launcher's side is right": {[]Outcome{follower(0), follower(1), follower(2), follower(3)}, []complaint{of(3, 0),
			of(2, 0), {Processes: []int{2}, Cause: "silence", by: 1, near: true}}, 2, "process 1: silence"},
		"several are missing": {[]Outcome{follower(0), stopped}, []complaint{of(0, 1, 2)}, 1, "process 0: silence"},
		"a crash says more":   {[]Outcome{follower(0), crashed, stopped}, []complaint{of(0, 1)}, 3, ""},
		"a line is silent": {[]Outcome{follower(1), stopped}, []complaint{of(ofLauncher, 1)}, 1,
			"launcher: silence"},
		"there is no such process": {[]Outcome{follower(0), follower(2)}, []complaint{of(0, 99)}, 0, ""},
		"who ended says more":      {[]Outcome{follower(0), well}, []complaint{of(0, 4)}, 4, ""},
	} {
		first, lost := blame(c.order, c.heard)
		require.Equal(t, c.first, first.Process, name)
		require.Equal(t, c.lost, lost, name)
	}
}

// TestConnectionsThatTheSystemGaveUpHaveNotEnded has reads that fail once and then find an end, as on a socket.
func TestConnectionsThatTheSystemGaveUpHaveNotEnded(t *testing.T) {
	for first, ended := range map[syscall.Errno]bool{
		syscall.ETIMEDOUT: false, syscall.EHOSTUNREACH: false, syscall.ENETUNREACH: false, syscall.ECONNRESET: true,
	} {
		err := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", first)}
		near, far := net.Pipe()
		far.Close()
		require.Equal(t, ended, ends(near, err), "the first error is %v", err)
		require.Equal(t, ended, ends(failsOnce{near, &err}, io.ErrUnexpectedEOF), "a later one is %v", first)
	}
}

// failsOnce is a connection whose next read fails.
type failsOnce struct {
	net.Conn
	err **net.OpError
}

func (f failsOnce) Read(into []byte) (int, error) {
	if err := *f.err; err != nil {
		*f.err = nil
		return 0, err
	}
	return f.Conn.Read(into)
}

// TestLauncherComplainsOfALineThatDoesNotEnd ends a process, but not its connection.
func TestLauncherComplainsOfALineThatDoesNotEnd(t *testing.T) {
	says := func(member net.Conn) { _ = send(member, complaint{Processes: []int{0}, Cause: "silence"}) }
	theirs := []complaint{{Processes: []int{0}, Cause: "silence", by: 1}}
	ours := []complaint{{Processes: []int{1}, Cause: silentLine, by: ofLauncher}}
	for name, c := range map[string]struct {
		last  func(member net.Conn)
		heard []complaint
	}{
		"it ends":                {func(member net.Conn) { member.Close() }, nil},
		"it complains, and ends": {func(member net.Conn) { says(member); member.Close() }, theirs},
		"it complains":           {says, theirs},
		"nothing comes":          {func(net.Conn) {}, ours},
		"half a complaint came":  {func(member net.Conn) { member.Write([]byte{0}) }, ours},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // without an end, a limit ends the connection
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			member, err := net.Dial("tcp", listener.Addr().String())
			require.NoError(t, err)
			defer member.Close()
			line, err := listener.Accept()
			require.NoError(t, err)
			c.last(member)
			j := &job{complaints: make(chan complaint, 1)}
			line.SetReadDeadline(time.Now().Add(lastWordsLimit))
			j.readComplaints(&process{Outcome: Outcome{Process: 1}, line: line})
			j.lines.Wait()
			close(j.complaints)
			var heard []complaint
			for said := range j.complaints {
				heard = append(heard, said)
			}
			require.Equal(t, c.heard, heard)
		})
	}
}
