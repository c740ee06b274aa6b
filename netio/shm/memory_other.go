//go:build !linux

package shm

import (
	"errors"
	"net"
	"os"
)

var errNoMemory = errors.New("this system has no nameless shared memory (memfd)")

const descriptorCount = 3

func newMemory(int64) (*os.File, []byte, error) { return nil, nil, errNoMemory }

func openMemory(*os.File) ([]byte, error) { return nil, errNoMemory }

func unmapMemory([]byte) {}

func touchPages([]byte) {}

func dropPages([]byte) {}

func newEventfd() (*os.File, error) { return nil, errNoMemory }

func thisHost() (string, error) { return "", errNoMemory }

func sameUser(net.Conn) error { return errNoMemory }

func sendFiles(*net.UnixConn, [descriptorCount]*os.File) error { return errNoMemory }

func receiveFiles(*net.UnixConn) (files [descriptorCount]*os.File, err error) {
	return files, errNoMemory
}
