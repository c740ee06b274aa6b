package launch

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
)

// secretBytes is the size of a job's secret. On its way to a process it is written as hexadecimal digits and a newline.
const (
	secretBytes = bootstrap.SecretBytes
	secretText  = 2*secretBytes + 1
)

func formatSecret(secret []byte) string { return hex.EncodeToString(secret) + "\n" }

func parseSecret(text []byte) ([]byte, error) {
	secret, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(secret) != secretBytes {
		return nil, fmt.Errorf("it is not %d hexadecimal digits", 2*secretBytes) // and not shown
	}
	return secret, nil
}

// secretPipe makes a pipe that holds the secret and then ends. One process inherits its reading end.
func secretPipe(secret []byte) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make pipe for the secret: %w", err)
	}
	_, err = w.WriteString(formatSecret(secret)) // a pipe has room for this
	if err = errors.Join(err, w.Close()); err != nil {
		r.Close()
		return nil, fmt.Errorf("write secret: %w", err)
	}
	return r, nil
}

// readSecret reads the secret from an inherited descriptor, and closes it.
func readSecret(descriptor int, limit time.Duration) ([]byte, error) {
	syscall.SetNonblock(descriptor, true) // makes the deadline work on pipes; if it fails, so does the read
	f := os.NewFile(uintptr(descriptor), "secret")
	if f == nil {
		return nil, fmt.Errorf("descriptor %d can't be one", descriptor)
	}
	defer f.Close()
	f.SetReadDeadline(time.Now().Add(limit)) // fails on regular files, which never block
	text := make([]byte, secretText)
	n, err := io.ReadFull(f, text)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read descriptor %d: %w", descriptor, err)
	}
	return parseSecret(text[:n])
}

// readSecretFile reads the secret from a file, which other users must not be able to read. It may lie behind links, as
// in Kubernetes.
func readSecretFile(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	groups, err := os.Getgroups()
	if err != nil {
		return nil, err
	}
	of := info.Sys().(*syscall.Stat_t)
	err = checkReaders(info.Mode().Perm(), int(of.Uid), int(of.Gid), os.Geteuid(), append(groups, os.Getegid()))
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, secretText+1))
	if err != nil {
		return nil, err
	}
	return parseSecret(text)
}

// checkReaders checks the readers of a file, for a process of a user and its groups. The file is the user's alone; or
// it is root's, and the process reads it by its group: so Kubernetes mounts a Secret for a pod with an fsGroup.
func checkReaders(mode fs.FileMode, owner, group, user int, groups []int) error {
	byGroup := owner == 0 && slices.Contains(groups, group)
	switch {
	case mode&0o037 != 0, mode&0o040 != 0 && !byGroup:
		return fmt.Errorf("has mode %04o, others may use it: run chmod 600 on it", mode)
	case owner != user && owner != 0:
		return fmt.Errorf("belongs to user %d, this process runs as user %d", owner, user)
	}
	return nil
}
