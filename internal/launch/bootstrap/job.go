package bootstrap

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Process is what a process tells all others of itself.
type Process struct {
	Address string // host:port where it listens for the transport
	Host    string // the same for processes that share processors
	CPUs    string // which processors of its host it may use: processes with the same share them
	Cores   int    // how many of them it may use at a time
}

// Job is what all processes know in the end.
type Job struct {
	ID        string
	Secret    []byte
	Ranks     int
	Addresses []string // where each process listens for the transport, by number
}

const (
	idBytes      = 8
	secretBytes  = 32
	textBytesMax = 256 // of each text of a Process
	coresMax     = 1 << 20
)

// newJob makes an id, and a secret unless there is one.
func newJob(secret []byte) *Job {
	id := make([]byte, idBytes)
	rand.Read(id)
	if secret == nil {
		secret = make([]byte, secretBytes)
		rand.Read(secret)
	}
	return &Job{ID: hex.EncodeToString(id), Secret: secret}
}

func (p Process) check() error {
	for _, text := range []string{p.Address, p.Host, p.CPUs} {
		if len(text) > textBytesMax {
			return fmt.Errorf("a text of %d bytes, the most is %d", len(text), textBytesMax)
		}
	}
	if p.Cores < 1 || p.Cores > coresMax {
		return fmt.Errorf("%d cores", p.Cores)
	}
	return checkAddress(p.Address)
}

func checkAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" || strings.ContainsAny(host, separator) {
		return fmt.Errorf("address %q is not of the form host:port", address)
	}
	return nil
}

// check does not look at addresses again: process 0, or a parent on the way to it, has.
func (j *Job) check(processes int) error {
	switch {
	case j.ID == "" || len(j.Secret) != secretBytes:
		return errors.New("it has no id or no secret")
	case len(j.Addresses) != processes:
		return fmt.Errorf("it has %d processes, this process was started as one of %d", len(j.Addresses), processes)
	case j.Ranks < processes:
		return fmt.Errorf("it has %d ranks for %d processes", j.Ranks, processes)
	}
	return nil
}
