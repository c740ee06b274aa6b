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

// blame returns the exit that caused the others. order lists the exits as the launcher saw them. The launcher sees
// exits on other hosts late, so the status of a process counts more than its place: a follower has a distinct status.
// Next comes a process that others complain of, which may be stopped; lost is their complaint.
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

// failedItself reports whether a process has failed, and not as a follower of another.
func (e Outcome) failedItself() bool {
	return e.Status != 0 && e.Status != ExitFollower && !e.preempted()
}

// byLauncher reports whether a process may have ended only because the launcher sent it a signal.
func (e Outcome) byLauncher() bool {
	n := syscall.Signal(e.Status - 128)
	return e.signalled && (n == syscall.SIGTERM || n == syscall.SIGKILL || e.Status == 255 && e.Host != "")
}

// accused returns the process with the most complaints, the first of several, and the text of its first complaint. A
// process that complains is alive, so it is accused only without any other. If a network has fallen apart, each side
// complains of the other, and the side of the launcher's host is right: only there the job can go on.
func accused(received []complaint) (process int, lost string) {
	votes := make(map[int]int)
	for _, c := range received {
		votes[c.by] -= len(received)
	}
	most := math.MinInt
	for _, c := range received {
		weight := 1
		if c.near {
			weight += 2 * len(received) // more than all others can give and take
		}
		for _, p := range c.Processes {
			votes[p] += weight
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

// complain tells the launcher the processes that err blames, if any. If the write fails, the launcher has ended.
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
func send(line net.Conn, message any) error { return write(line, encoded(message)) }

// write sends a message that is encoded.
func write(line net.Conn, text []byte) error {
	err := line.SetWriteDeadline(time.Now().Add(lineLimit))
	_, failed := line.Write(text)
	return errors.Join(err, failed)
}

// ofLauncher marks a complaint of the launcher itself.
const ofLauncher = -1

// silentLine is the launcher's complaint about a process with a broken connection.
const silentLine = "nothing comes from it, not even the end of its connection: does the network lead both ways?"

// who names the sender of a complaint.
func (c complaint) who() string {
	if c.by == ofLauncher {
		return "launcher"
	}
	return fmt.Sprintf("process %d", c.by)
}

// readComplaints receives the complaints of a process that has joined, until its connection ends. The launcher itself
// complains if the system gives the connection up, or if the process has ended and its connection has not.
func (j *job) readComplaints(p *process) {
	j.lines.Go(func() {
		defer p.line.Close()
		c, err := j.readMessages(p)
		switch {
		case err == nil:
			c.by = p.Process
			j.complaints <- c
			_, _ = io.Copy(io.Discard, p.line) // waits for the end of the connection
		case !ends(p.line, err):
			j.complaints <- complaint{Processes: []int{p.Process}, Cause: silentLine, by: ofLauncher}
		}
	})
}

// readMessages counts the checkpoints that a process reports, and returns its complaint.
func (j *job) readMessages(p *process) (c complaint, err error) {
	for {
		c = complaint{}
		if err = handshake.ReadMessage(p.line, complaintBytesMax, &c); err != nil || !c.Saved {
			return c, err
		}
		j.saved.Add(1)
		if j.above != nil {
			j.above.texts <- word{Process: p.Process, Saved: true}
		}
	}
}

// ends waits for the end of a connection after its first error err. It returns false if the end does not come, because
// the network delivers nothing any more.
func ends(line net.Conn, err error) bool {
	if unreachable(err) {
		return false // a read after this one finds an end
	}
	_, err = io.Copy(io.Discard, line)
	if errors.Is(err, os.ErrDeadlineExceeded) { // the end may have come before this goroutine could look
		line.SetReadDeadline(time.Now().Add(lastLookLimit))
		_, err = io.Copy(io.Discard, line)
	}
	return !errors.Is(err, os.ErrDeadlineExceeded) && !unreachable(err)
}

// unreachable reports whether the system gave a connection up, by its timers or after a message of a router.
func unreachable(err error) bool {
	return errors.Is(err, syscall.ETIMEDOUT) || errors.Is(err, syscall.EHOSTUNREACH) ||
		errors.Is(err, syscall.ENETUNREACH)
}
