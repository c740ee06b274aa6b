package jobs

import (
	"errors"
	"os"
	"syscall"
)

// identity distinguishes a process from all others that have or had its number.
type identity struct {
	Where string `json:"where"` // host and container
	Start string `json:"start"` // start of the process there
}

// standing is the fate of a process.
type standing int

const (
	runs    standing = iota
	gone             // it has ended on this host
	unknown          // it belongs to another host or container, or this system does not report it now
)

var errEnded = errors.New("it has ended")

// stands returns the fate of the process that had a number.
func (i identity) stands(pid int) standing {
	if i.Where != where() {
		return unknown
	}
	switch now, err := identify(pid); {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ESRCH), errors.Is(err, errEnded):
		return gone
	case err != nil:
		return unknown
	case now != i:
		return gone
	}
	return runs
}
