package launch

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/netio"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// blame finds the exit that caused the others. order is the order in which the launcher saw them. It sees exits on
// other hosts late, so a process's own status counts for more than its place in the order: a follower says that it is
// one. Next comes a process that others complain of, which may have been stopped and can't say so itself; lost is their
// complaint.
func blame(order []Outcome, received []complaint) (first Outcome, lost string) {
	if e := findExit(order, func(e Outcome) bool { return e.failedItself() && !e.signalled }); e != nil {
		return *e, ""
	}
	if e := findExit(order, func(e Outcome) bool { return e.failedItself() && !e.byLauncher() }); e != nil {
		return *e, ""
	}
	if process, lost := accused(received); lost != "" {
		if e := findExit(order, func(e Outcome) bool { return e.Process == process }); e != nil && e.Status != 0 {
			return *e, lost
		}
	}
	for _, status := range []int{0, ExitFollower} {
		if e := findExit(order, func(e Outcome) bool { return e.Status == status }); e != nil {
			return *e, ""
		}
	}
	return order[0], ""
}

func findExit(order []Outcome, guilty func(Outcome) bool) *Outcome {
	for i := range order {
		if guilty(order[i]) {
			return &order[i]
		}
	}
	return nil
}

// failedItself reports whether a process has failed and does not say that another one had failed before.
func (e Outcome) failedItself() bool { return e.Status != 0 && e.Status != ExitFollower }

// byLauncher reports whether a process may have ended only because the launcher sent it a signal.
func (e Outcome) byLauncher() bool {
	n := syscall.Signal(e.Status - 128)
	return e.signalled && (n == syscall.SIGTERM || n == syscall.SIGKILL || e.Status == 255 && e.Host != "")
}

// accused returns the process with the most complaints (the first of several) and the text of its first complaint. A
// process that complains is alive: it is accused only if there is no other.
func accused(received []complaint) (process int, lost string) {
	votes := make(map[int]int)
	for _, c := range received {
		votes[c.by] -= len(received)
	}
	most := math.MinInt
	for _, c := range received {
		for _, p := range c.Processes {
			votes[p]++
		}
	}
	for _, c := range received {
		for _, p := range c.Processes {
			if votes[p] > most {
				most, process, lost = votes[p], p, c.who()+": "+c.Cause
			}
		}
	}
	return process, lost
}

// complain sends the launcher the process that err blames, if any. If that fails, the launcher has ended.
func complain(line net.Conn, err error) {
	blamed, cause := netio.Blamed(err)
	if len(blamed) == 0 {
		return
	}
	text := cause.Error()
	_ = send(line, complaint{
		Processes: blamed[:min(len(blamed), blamedMax)], Cause: text[:min(len(text), complaintCauseMax)],
	})
}

// send sends a message over the line between launcher and process, within the limit of a step.
func send(line net.Conn, message any) error {
	return errors.Join(line.SetWriteDeadline(time.Now().Add(lineLimit)), handshake.WriteMessage(line, message))
}

// ofLauncher is who complains of a process from which the launcher itself hears nothing.
const ofLauncher = -1

// silentLine is the launcher's complaint of a process whose line the network has broken.
const silentLine = "nothing comes from it, not even the end of its connection: does the network lead both ways?"

// who names the one that complains.
func (c complaint) who() string {
	if c.by == ofLauncher {
		return "launcher"
	}
	return fmt.Sprintf("process %d", c.by)
}

// readComplaints receives the complaints of a process that has joined, until its connection ends. Where the system says
// that nothing comes any more, or the process has ended and its connection has not, the launcher complains of it.
func (j *job) readComplaints(p *process) {
	j.lines.Go(func() {
		defer p.line.Close()
		var c complaint
		switch err := handshake.ReadMessage(p.line, complaintBytesMax, &c); {
		case err == nil:
			c.by = p.Process
			j.complaints <- c
			_, _ = io.Copy(io.Discard, p.line) // waits for the end of the connection
		case !ends(p.line, err):
			j.complaints <- complaint{Processes: []int{p.Process}, Cause: silentLine, by: ofLauncher}
		}
	})
}

// ends waits for the end of a connection, of which err is the first error. It reports whether that comes: the network
// may bring nothing more, and not even that.
func ends(line net.Conn, err error) bool {
	if unreachable(err) {
		return false // a read after this one finds an end
	}
	_, err = io.Copy(io.Discard, line)
	if errors.Is(err, os.ErrDeadlineExceeded) { // it may have come before this goroutine could look
		line.SetReadDeadline(time.Now().Add(lastLookLimit))
		_, err = io.Copy(io.Discard, line)
	}
	return !errors.Is(err, os.ErrDeadlineExceeded) && !unreachable(err)
}

// unreachable reports whether the system gave a connection up because nothing came: by its timers alone, or with a word
// from a router on the way.
func unreachable(err error) bool {
	return errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, syscall.EHOSTUNREACH) ||
		errors.Is(err, syscall.ENETUNREACH)
}
