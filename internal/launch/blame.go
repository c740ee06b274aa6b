package launch

import (
	"fmt"
	"io"
	"math"
	"net"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/netio"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// blame finds the exit that caused the others. order is the order in which the launcher saw them. It sees exits on other hosts late,
// so a process's own status counts for more than its place in the order: a follower says that it is one. Next comes a process that
// others complain of, which may have been stopped and can't say so itself; lost is their complaint.
func blame(order []Outcome, heard []complaint) (first Outcome, lost string) {
	if e := findExit(order, func(e Outcome) bool { return e.failedItself() && !e.signalled }); e != nil {
		return *e, ""
	}
	if e := findExit(order, func(e Outcome) bool { return e.failedItself() && !e.byLauncher() }); e != nil {
		return *e, ""
	}
	if process, lost := accused(heard); lost != "" {
		if e := findExit(order, func(e Outcome) bool { return e.Process == process }); e != nil && e.Status != 0 {
			return *e, lost
		}
	}
	if e := findExit(order, func(e Outcome) bool { return e.Status == 0 }); e != nil {
		return *e, ""
	}
	if e := findExit(order, func(e Outcome) bool { return e.Status == ExitFollower }); e != nil {
		return *e, ""
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

// accused returns the process with the most complaints (the first of several) and the text of its first complaint. A process that
// complains is alive: it is accused only if there is no other.
func accused(heard []complaint) (process int, lost string) {
	weight := make(map[int]int)
	for _, c := range heard {
		weight[c.by] -= len(heard)
	}
	most := math.MinInt
	for _, c := range heard {
		for _, p := range c.Processes {
			weight[p]++
		}
	}
	for _, c := range heard {
		for _, p := range c.Processes {
			if weight[p] > most {
				most, process, lost = weight[p], p, fmt.Sprintf("process %d: %s", c.by, c.Cause)
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
	line.SetWriteDeadline(time.Now().Add(lineLimit))
	_ = handshake.WriteMessage(line, complaint{
		Processes: blamed[:min(len(blamed), blamedMax)], Cause: text[:min(len(text), complaintCauseMax)],
	})
}

// listen receives the complaints of a process that has joined, until its connection ends.
func (j *job) listen(p *process) {
	j.lines.Go(func() {
		defer p.line.Close()
		var c complaint
		if err := handshake.ReadMessage(p.line, complaintBytesMax, &c); err == nil {
			c.by = p.Process
			j.complaints <- c
		}
		_, _ = io.Copy(io.Discard, p.line) // waits for the end of the connection
	})
}

// hearOut waits for the connections of all processes, which have ended, and receives the remaining complaints.
func (j *job) hearOut() {
	j.lines.Wait()
	for len(j.complaints) > 0 {
		j.heard = append(j.heard, <-j.complaints)
	}
}
