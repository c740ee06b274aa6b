package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Store is a key-value store. Each process of a job publishes one entry, which all others can look up. After Publish,
// many goroutines may call Lookup.
type Store interface {
	// Publish stores this process's entry. All processes call it.
	Publish(ctx context.Context, process int, entry string) error
	// Lookup returns a process's entry, after Publish. If entries come at different times, it waits for this one until
	// ctx ends.
	Lookup(ctx context.Context, process int) (string, error)
}

// KeyValues is a launcher's key-value space: a value that is put before a barrier can be got after it.
type KeyValues interface {
	Put(ctx context.Context, key, value string) error
	Barrier(ctx context.Context) error
	Get(ctx context.Context, key string) (string, error)
}

// LauncherStore is a [Store] in a launcher's key-value space.
type LauncherStore struct {
	mu     sync.Mutex
	values KeyValues
}

// NewLauncherStore returns a store in a key-value space, which it uses from one goroutine at a time.
func NewLauncherStore(v KeyValues) *LauncherStore { return &LauncherStore{values: v} }

func keyOf(process int) string { return "pebbles-" + strconv.Itoa(process) }

// Publish implements [Store]. It returns when all processes have called it.
func (s *LauncherStore) Publish(ctx context.Context, process int, entry string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.values.Put(ctx, keyOf(process), entry); err != nil {
		return err
	}
	if err := s.values.Barrier(ctx); err != nil {
		return fmt.Errorf("%w; does each task of the launcher run this program, and does it call pebble.Main?", err)
	}
	return nil
}

// Lookup implements [Store].
func (s *LauncherStore) Lookup(ctx context.Context, process int) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values.Get(ctx, keyOf(process))
}

// FolderStore is a [Store] in a folder that the hosts of all processes share: a file for each process, of mode 0600. A
// process creates its own with O_EXCL, and refuses files of other users.
type FolderStore struct {
	path, job string
	published string // this process's file, once it exists
}

// NewFolderStore returns a store in the folder path. job is a name without a slash that no other job there has.
func NewFolderStore(path, job string) *FolderStore { return &FolderStore{path: path, job: job} }

// entryBytesMax bounds an entry's file.
const entryBytesMax = 1 << 10

// These are the pauses between two tries to read a file.
const (
	pollPauseMin = 5 * time.Millisecond
	pollPauseMax = 200 * time.Millisecond
)

func (f *FolderStore) file(process int) string {
	return filepath.Join(f.path, fmt.Sprintf("pebbles-%s.%d", f.job, process))
}

// Publish implements [Store].
func (f *FolderStore) Publish(_ context.Context, process int, entry string) error {
	name := f.file(process)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("publish this process's address: %s is there already: two processes have number %d, or a job of "+
			"the same name was killed (then remove the file)", name, process)
	}
	if err != nil {
		return fmt.Errorf("publish this process's address: %w; name a folder that all hosts share and this user may write "+
			"to, by PEBBLES_RENDEZVOUS_DIR", err)
	}
	f.published = name
	_, err = file.WriteString(entry + "\n") // the newline marks a complete entry
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("publish this process's address: %w", err), f.Remove())
	}
	return nil
}

// Lookup implements [Store].
func (f *FolderStore) Lookup(ctx context.Context, process int) (string, error) {
	name := f.file(process)
	for pause := pollPauseMin; ; pause = min(2*pause, pollPauseMax) {
		entry, err := readEntry(name)
		if err != nil {
			return "", fmt.Errorf("read the address of process %d: %w", process, err)
		}
		if entry != "" {
			return entry, nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return "", fmt.Errorf("wait for %s: %w; was process %d started, and do all hosts share this folder "+
				"(PEBBLES_RENDEZVOUS_DIR)?", name, context.Cause(ctx), process)
		}
	}
}

// readEntry returns "" if the entry is missing or incomplete.
func readEntry(name string) (string, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	state, ok := info.Sys().(*syscall.Stat_t)
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || !ok || int(state.Uid) != os.Geteuid() {
		return "", fmt.Errorf("%s is not a file of this user's alone: remove it, or name another folder by "+
			"PEBBLES_RENDEZVOUS_DIR", name)
	}
	text := make([]byte, entryBytesMax)
	n, _ := file.Read(text) // an empty file is no failure
	if n == 0 || text[n-1] != '\n' {
		return "", nil
	}
	return string(text[:n-1]), nil
}

// Remove removes this process's file, when no process needs it any more. It may be called again.
func (f *FolderStore) Remove() error {
	if f.published == "" {
		return nil
	}
	name := f.published
	f.published = ""
	if err := os.Remove(name); err != nil {
		return fmt.Errorf("remove this process's address: %w", err)
	}
	return nil
}
