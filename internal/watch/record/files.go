package record

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/disk"
)

const suffix = ".rec"

// noProcess is the number in the place of a process's in what is known of the launcher, or of nobody.
const noProcess = -1

// tokenOf is a job's id as names of files hold it. A job without one, which is one process, gets one that no other has.
func tokenOf(id string, started time.Time, pid int) string {
	if id == "" {
		return fmt.Sprintf("alone-%s-%d", stamp(started).Format("20060102T150405.000"), pid)
	}
	plain := func(c rune) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'
	}
	if len(id) <= 64 && strings.IndexFunc(id, func(c rune) bool { return !plain(c) }) < 0 {
		return id
	}
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, id) // which does not fail
	return "job-" + hex.EncodeToString(sum.Sum(nil))
}

func segmentName(token string, process, segment int) string {
	return fmt.Sprintf("%s.p%05d.%06d%s", token, process, segment, suffix)
}

func launcherName(token string) string { return token + ".launcher" + suffix }

// fileName is a name of a record's file, taken apart.
type fileName struct {
	name    string
	token   string
	process int // noProcess: the launcher's
	segment int
}

// parseName takes the name of a record's file apart.
func parseName(name string) (f fileName, ok bool) {
	rest, ok := strings.CutSuffix(name, suffix)
	if !ok {
		return f, false
	}
	if token, is := strings.CutSuffix(rest, ".launcher"); is {
		return fileName{name: name, token: token, process: noProcess}, token != ""
	}
	parts := strings.Split(rest, ".")
	if len(parts) < 3 {
		return f, false
	}
	n := len(parts)
	process, err := strconv.ParseUint(strings.TrimPrefix(parts[n-2], "p"), 10, 31)
	segment, more := strconv.ParseUint(parts[n-1], 10, 31)
	f = fileName{name, strings.Join(parts[:n-2], "."), int(process), int(segment)}
	return f, errors.Join(err, more) == nil && name == segmentName(f.token, f.process, f.segment)
}

// claim makes a file of a job in a folder, which it makes if need be, unless another job's are there.
func claim(dir, token, name string) (disk.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return disk.File{}, fmt.Errorf("make the folder of the record: %w", err)
	}
	if err := ours(dir, token); err != nil {
		return disk.File{}, err
	}
	path := filepath.Join(dir, name)
	file, err := openNew(path)
	if errors.Is(err, fs.ErrExist) {
		return disk.File{}, fmt.Errorf("%s is there already: give another directory", path)
	}
	if err != nil {
		return disk.File{}, fmt.Errorf("make a file of the record: %w", err)
	}
	if err := ours(dir, token); err != nil { // two jobs that come at the same moment see each other here
		file.Close()
		_ = disk.Remove(path)
		return disk.File{}, err
	}
	return file, nil
}

func openNew(path string) (disk.File, error) {
	return disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
}

// ours says when a folder holds the record of another job.
func ours(dir, token string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look into the folder of the record: %w", err)
	}
	for _, e := range entries {
		if f, ok := parseName(e.Name()); ok && f.token != token {
			return fmt.Errorf("%s holds the record of another job (%s): give another directory", dir, f.name)
		}
	}
	return nil
}
