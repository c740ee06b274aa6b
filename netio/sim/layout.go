package sim

import "github.com/activepebbles/pebbles/netio"

// class is the distance of two ranks: same process, same host, or neither.
type class uint8

const (
	withinProcess class = iota
	withinHost
	betweenHosts
	classes
)

var classNames = [classes]string{"within_process", "within_host", "between_hosts"}

// layout maps ranks to processes and hosts, in runs.
type layout struct {
	place   netio.Place // of the whole job
	perHost int         // processes
	process []int32     // by rank
}

func newLayout(ranks, processes, perHost int) layout {
	l := layout{perHost: max(1, perHost), process: make([]int32, ranks)}
	var firsts []int
	for process := 0; process < processes; process += l.perHost {
		firsts = append(firsts, process)
	}
	l.place = netio.PlaceOf(ranks, processes, 0).OnHosts(firsts)
	for rank := range l.process {
		l.process[rank] = int32(l.place.ProcessOf(rank))
	}
	return l
}

// of returns the place of a process.
func (l *layout) of(process int) netio.Place {
	p := l.place
	p.Process = process
	p.First, p.Last = p.Span(process)
	return p
}

func (l *layout) hosts() int { return (l.place.Processes + l.perHost - 1) / l.perHost }

func (l *layout) host(rank int) int { return int(l.process[rank]) / l.perHost }

func (l *layout) class(a, b int) class {
	switch {
	case l.process[a] == l.process[b]:
		return withinProcess
	case l.host(a) == l.host(b):
		return withinHost
	}
	return betweenHosts
}

// has reports whether two ranks of a class exist.
func (l *layout) has(c class) bool {
	switch c {
	case withinProcess:
		return l.place.Ranks > l.place.Processes
	case withinHost:
		return l.perHost > 1 && l.place.Processes > 1
	}
	return l.hosts() > 1
}
