package kubernetes

import (
	"time"
)

// Standard values of a Job.
const (
	Port        = 7473
	StartLimit  = 5 * time.Minute
	GracePeriod = 30 * time.Second
)

// Job describes a program and its processes. Each process is a pod.
type Job struct {
	Name        string // of the Job, the Service and the Secret
	Namespace   string // empty: the namespace of the client that applies the manifests
	Image       string
	Program     string // empty: the image's default
	Arguments   []string
	Processes   int
	Ranks       int // of the whole job; 0: the program's own choice
	Port        int
	CPU         string        // of each process, such as 4; empty: no limit, nothing reserved
	Memory      string        // of each process, such as 8Gi; empty: no limit, nothing reserved
	StartLimit  time.Duration // time for the processes to find each other
	GracePeriod time.Duration // time that a process may go on after SIGTERM
}
