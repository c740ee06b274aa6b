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

// Process is what each process says of itself to all others.
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

// SecretBytes is the size of a job's secret.
const SecretBytes = 32

const (
	idBytes      = 8
	textBytesMax = 256 // of each text of a Process
	coresMax     = 1 << 20
)

// NewJob makes an id, and a secret unless there is one.
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

// check does not look at addresses again: process 0, or a parent on the way to it, has.
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

// report is what a child sends to its parent: its number, where certificates authenticate it, which the parent answers
// by its own; then its subtree when that is complete, or that the start has failed.
type report struct {
	Number  int      `json:",omitempty"`
	Subtree []member `json:",omitempty"`
	Failed  string   `json:",omitempty"`
}

// verdict is what a parent sends to its children: the job, or that the start has failed.
type verdict struct {
	ID        string `json:",omitempty"`
	Secret    []byte `json:",omitempty"`
	Ranks     int    `json:",omitempty"`
	Addresses string `json:",omitempty"` // one text, which costs a tenth of a list of texts
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

// messageBytesMax bounds a message about so many processes.
func messageBytesMax(processes int) int { return 64<<10 + processes*(3*textBytesMax+128) }

// failure is the reason of a failure for others, cut to its bound. Each process that forwards it adds that it was
// elsewhere.
func failure(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrElsewhere.Error()+": ")
	return text[:min(len(text), failedBytesMax)]
}
