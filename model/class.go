package model

import "fmt"

// Class says how far two ranks are from each other, and so which [Link] is between them.
type Class uint8

const (
	Process Class = iota // in one process
	Host                 // in two processes of one host
	Network              // on two hosts
	classes
)

// String is the word for the class.
func (c Class) String() string {
	return [...]string{"process", "host", "network"}[c]
}

// Layout says how ranks are spread: contiguous runs of them make processes, and of these hosts.
type Layout struct {
	PerProcess int `json:"ranks_a_process"` // 0: all ranks are in one process
	PerHost    int `json:"ranks_a_host"`    // 0: all ranks are on one host; a multiple of PerProcess
}

func (l Layout) complete(ranks int) (Layout, error) {
	switch {
	case l.PerProcess < 0 || l.PerHost < 0:
		return l, fmt.Errorf("model: %d ranks a process and %d a host: give positive numbers, or 0 for all",
			l.PerProcess, l.PerHost)
	case l.PerHost == 0:
		l.PerHost = ranks
	}
	if l.PerProcess == 0 {
		l.PerProcess = l.PerHost
	}
	if l.PerHost < ranks && l.PerHost%l.PerProcess != 0 {
		return l, fmt.Errorf("model: a host of %d ranks does not hold whole processes of %d: give a multiple",
			l.PerHost, l.PerProcess)
	}
	return l, nil
}

// class is that of two ranks. The layout is complete.
func (l Layout) class(a, b int) Class {
	switch {
	case a/l.PerProcess == b/l.PerProcess:
		return Process
	case a/l.PerHost == b/l.PerHost:
		return Host
	}
	return Network
}

// firsts are the first ranks of the processes.
func (l Layout) firsts(ranks int) (all []int) {
	for r := 0; r < ranks; r += l.PerProcess {
		all = append(all, r)
	}
	return all
}
