package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Entry is a job of this user on this host.
type Entry struct {
	PID       int       `json:"pid"`     // of process 0; for Announce, 0 means this process
	Program   string    `json:"program"` // its name, without a path
	Job       string    `json:"job"`     // its id; "" for none
	Ranks     int       `json:"ranks"`
	Processes int       `json:"processes"`
	Started   time.Time `json:"started"`
	URL       string    `json:"url"` // of the job's page, with its token; "" where it has none. A secret.
}

// file is the content of a job's file.
type file struct {
	Entry
	Process identity `json:"process"`
}

// Names of files. An incomplete file has another name.
const (
	listed = "job-*.json"
	begun  = "new-*"
)

// Announce adds a job to the list of this user's jobs on this host, until forget is called or its process has ended.
// Without an error it has written one file and synced nothing, in about 0.1 ms. Any goroutine may call forget,
// repeatedly. An error is no reason to end the job; forget is never nil.
func Announce(e Entry) (forget func(), err error) {
	if e.PID == 0 {
		e.PID = os.Getpid()
	}
	f := file{Entry: e}
	if f.Process, err = identify(e.PID); err == nil {
		forget, err = write(f)
	}
	if err != nil {
		return func() {}, fmt.Errorf("the job is not in the list of jobs, so name its page's address to pebbles top: %w", err)
	}
	return forget, nil
}

// write writes a file under a unique name, whole or not at all.
func write(f file) (forget func(), err error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	dir, err := place()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	root, err := open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	unfinished, name := draw(begun), draw(listed)
	err = root.WriteFile(unfinished, text, 0o600) // the name is random, so no file has it
	if err == nil {
		err = root.Rename(unfinished, name)
	}
	if err != nil {
		return nil, errors.Join(err, ignoreGone(root.Remove(unfinished)))
	}
	return func() { _ = os.Remove(filepath.Join(dir, name)) }, nil
}

func ignoreGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
