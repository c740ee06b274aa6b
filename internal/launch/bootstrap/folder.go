package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Folder is a [Board] in a folder that the hosts of all processes share: a file for each process, of mode 0600. A process makes its own
// with O_EXCL, and takes no card of another user.
type Folder struct {
	path, job string
	mine      string // this process's file, once it is made
}

// NewFolder is a board in the folder of a path. job is a name that no other job there has, without a slash.
func NewFolder(path, job string) *Folder { return &Folder{path: path, job: job} }

// cardBytesMax bounds a card's file.
const cardBytesMax = 1 << 10

// The pauses between two looks for a file.
const (
	lookPauseMin = 5 * time.Millisecond
	lookPauseMax = 200 * time.Millisecond
)

func (f *Folder) file(process int) string {
	return filepath.Join(f.path, fmt.Sprintf("pebbles-%s.%d", f.job, process))
}

// Post implements [Board].
func (f *Folder) Post(_ context.Context, process int, card string) error {
	name := f.file(process)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("leave a card for the other processes: %s is there already: two processes have number %d, or a job of the same name was killed "+
			"(then remove the file)", name, process)
	}
	if err != nil {
		return fmt.Errorf("leave a card for the other processes: %w; name a folder that all hosts share and this user may write to, by "+
			"PEBBLES_RENDEZVOUS_DIR", err)
	}
	f.mine = name
	_, err = file.WriteString(card + "\n") // the end of the line tells that it is whole
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("leave a card for the other processes: %w", err), f.Remove())
	}
	return nil
}

// Read implements [Board].
func (f *Folder) Read(ctx context.Context, process int) (string, error) {
	name := f.file(process)
	for pause := lookPauseMin; ; pause = min(2*pause, lookPauseMax) {
		card, err := readCard(name)
		if card != "" || err != nil {
			return card, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return "", fmt.Errorf("wait for %s: %w; was process %d started, and do all hosts share this folder (PEBBLES_RENDEZVOUS_DIR)?",
				name, context.Cause(ctx), process)
		}
	}
}

// readCard returns an empty card while there is none, or not all of it.
func readCard(name string) (string, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read card: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("read card: %w", err)
	}
	state, ok := info.Sys().(*syscall.Stat_t)
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || !ok || int(state.Uid) != os.Geteuid() {
		return "", fmt.Errorf("read card: %s is not a file of this user's alone: remove it, or name another folder by PEBBLES_RENDEZVOUS_DIR", name)
	}
	text := make([]byte, cardBytesMax)
	n, _ := file.Read(text) // nothing yet is no failure
	if n == 0 || text[n-1] != '\n' {
		return "", nil
	}
	return string(text[:n-1]), nil
}

// Remove takes this process's card away. It comes when nobody reads it any more.
func (f *Folder) Remove() error {
	if f.mine == "" {
		return nil
	}
	name := f.mine
	f.mine = ""
	if err := os.Remove(name); err != nil {
		return fmt.Errorf("remove card: %w", err)
	}
	return nil
}
