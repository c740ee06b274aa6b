package launch

import (
	"fmt"
	"io"
	"math"
	"net"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// blame finds the exit that the others followed, given in the order in which they were seen. Outcomes are seen late from
// other hosts, so what a process says of itself counts for more than when it was seen: a follower says so. A process that
// others complain of comes next; lost is what they say. It may have been stopped, and says nothing itself.
func blame(order []Outcome, heard []complaint) (first Outcome, lost string) {
	if e := findExit(order, func(e Outcome) bool { return e.failedItself() && !e.told }); e != nil {
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

// failedItself tells whether a process has failed and does not say that another one had failed before.
func (e Outcome) failedItself() bool { return e.Status != 0 && e.Status != ExitFollower }

// byLauncher tells whether a process may have ended only because the launcher told it to.
func (e Outcome) byLauncher() bool {
	n := syscall.Signal(e.Status - 128)
	return e.told && (n == syscall.SIGTERM || n == syscall.SIGKILL || e.Status == 255 && e.Host != "")
}

// accused is the process that most complain of, the first one of several, and what the first complaint says of it. Who
// complains is alive, and is accused only when there is nobody else.
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

// complain tells the launcher whom err blames, if anybody. A launcher that does not hear it has gone.
func complain(line net.Conn, err error) {
	blamed, cause := netio.Blamed(err)
	if len(blamed) == 0 {
		return
	}
	text := cause.Error()
	line.SetWriteDeadline(time.Now().Add(lineLimit))
	_ = writeMessage(line, complaint{
		Processes: blamed[:min(len(blamed), blamedMax)], Cause: text[:min(len(text), complaintCauseMax)],
	})
}

// listen hears what a process that has joined may complain of, until its line ends.
func (j *job) listen(p *process) {
	j.lines.Go(func() {
		defer p.line.Close()
		var c complaint
		if err := readMessage(p.line, complaintBytesMax, &c); err == nil {
			c.by = p.Process
			j.complaints <- c
		}
		_, _ = io.Copy(io.Discard, p.line) // nothing more is of interest but its end
	})
}

// hearOut waits for the lines of all processes, which have ended, and hears what is left.
func (j *job) hearOut() {
	j.lines.Wait()
	for len(j.complaints) > 0 {
		j.heard = append(j.heard, <-j.complaints)
	}
}
