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

// Process is the description of a process for all others.
type Process struct {
	Address string // host:port of its listener for the transport
	Host    string // equal for processes that share processors
	CPUs    string // processors of its host that it may use: processes with equal ones share them
	Cores   int    // number that it may use at a time
}

// Job is the result of the exchange in all processes.
type Job struct {
	ID        string
	Secret    []byte
	Ranks     int
	Addresses []string // listening addresses for the transport, by process
}

// SecretBytes is the size of a job's secret.
const SecretBytes = 32

const (
	idBytes      = 8
	textBytesMax = 256 // of each text of a Process
	coresMax     = 1 << 20
)

// NewJob makes an id, and a secret if secret is nil.
func NewJob(secret []byte) *Job {
	id := make([]byte, idBytes)
	rand.Read(id)
	if secret == nil {
		secret = make([]byte, SecretBytes)
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
	return CheckAddress(p.Address)
}

// CheckAddress returns an error if an address is not of the form host:port, or its port is 0.
func CheckAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || host == "" || strings.Contains(host, separator) {
		return fmt.Errorf("address %q is not of the form host:port", address)
	}
	return nil
}

// check does not check addresses again: process 0, or a parent on the way to it, has.
func (j *Job) check(processes int) error {
	switch {
	case j.ID == "" || len(j.Secret) != SecretBytes:
		return errors.New("it has no id or no secret")
	case len(j.Addresses) != processes:
		return fmt.Errorf("it has %d processes, this process was started as one of %d", len(j.Addresses), processes)
	case j.Ranks < processes:
		return fmt.Errorf("it has %d ranks for %d processes", j.Ranks, processes)
	}
	return nil
}

// member is a process with its number.
type member struct {
	Number int
	Process
}

// report is the message of a child to its parent: its number, if certificates authenticate it, which the parent answers
// by its own; then its subtree when that is complete, or the failure of the start.
type report struct {
	Number  int      `json:",omitempty"`
	Subtree []member `json:",omitempty"`
	Failed  string   `json:",omitempty"`
}

// verdict is the message of a parent to its children: the job, or the failure of the start.
type verdict struct {
	ID        string `json:",omitempty"`
	Secret    []byte `json:",omitempty"`
	Ranks     int    `json:",omitempty"`
	Addresses string `json:",omitempty"` // one text, at a tenth of the cost of a list of texts
	Failed    string `json:",omitempty"`
}

const separator = " " // of addresses

func (j *Job) verdict() verdict {
	return verdict{ID: j.ID, Secret: j.Secret, Ranks: j.Ranks, Addresses: strings.Join(j.Addresses, separator)}
}

func (v verdict) job() *Job {
	return &Job{ID: v.ID, Secret: v.Secret, Ranks: v.Ranks, Addresses: strings.Split(v.Addresses, separator)}
}

const failedBytesMax = 1 << 10

// messageBytesMax bounds a message about the given number of processes.
func messageBytesMax(processes int) int { return 64<<10 + processes*(3*textBytesMax+128) }

// failure returns the reason of a failure for others, cut to its bound. Each process that forwards it adds the prefix
// of ErrElsewhere.
func failure(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrElsewhere.Error()+": ")
	return text[:min(len(text), failedBytesMax)]
}
