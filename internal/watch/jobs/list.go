package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"
)

const (
	fileMost  = 64 << 10    // bytes
	begunMost = time.Minute // for writing a file
)

// List returns the jobs of this user on this host, oldest first. It removes the files of jobs whose process is gone. It
// skips unreadable files, and names them in the error, which comes with all other jobs. Each job costs about 50 µs. Any
// goroutine and process may call it at any time.
func List() ([]Entry, error) {
	var all []Entry
	var wrong []error
	for _, dir := range places() {
		some, err := read(dir)
		all = append(all, some...)
		wrong = append(wrong, err)
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return a.Started.Compare(b.Started) })
	return all, errors.Join(wrong...)
}

// read reads the files of one folder.
func read(dir string) (all []Entry, err error) {
	root, err := open(dir)
	if err != nil {
		return nil, ignoreGone(err)
	}
	defer root.Close()
	files, err := fs.ReadDir(root.FS(), ".")
	wrong := []error{err}
	for _, f := range files {
		if is(begun, f) {
			wrong = append(wrong, leftOver(root, f))
		}
		if !is(listed, f) {
			continue
		}
		e, err := look(root, f.Name())
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s/%s is not a job's file, or is damaged; remove it: "+
				"%w", dir, f.Name(), err))
		} else if e != nil {
			all = append(all, *e)
		}
	}
	return all, errors.Join(wrong...)
}

func is(pattern string, f fs.DirEntry) bool {
	ok, _ := path.Match(pattern, f.Name())
	return ok
}

// leftOver removes an old file whose process ended before the file was complete.
func leftOver(root *os.Root, f fs.DirEntry) error {
	info, err := f.Info()
	if err == nil && time.Since(info.ModTime()) > begunMost {
		err = root.Remove(f.Name())
	}
	return ignoreGone(err)
}

// look reads one file. It returns nil if the file does not belong to a job that runs here.
func look(root *os.Root, name string) (*Entry, error) {
	text, err := contents(root, name)
	if err != nil {
		return nil, ignoreGone(err)
	}
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	if f.PID <= 0 || f.Process.Start == "" {
		return nil, errors.New("it names no process")
	}
	switch f.Process.stands(f.PID) {
	case unknown:
		return nil, nil
	case gone:
		return nil, ignoreGone(root.Remove(name))
	}
	return &f.Entry, nil
}

// contents reads a file up to the maximum length of job files. It does not open a pipe, which would wait for a writer.
func contents(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, fileMost+1))
	if err == nil && len(text) > fileMost {
		err = fmt.Errorf("it is longer than %d bytes", fileMost)
	}
	return text, err
}
