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

// noProcess stands for the launcher, or for none, instead of the number of a process.
const noProcess = -1

// tokenOf returns the job's id in a form for file names. A job without an id, which is one process, gets a unique one.
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
	_, _ = io.WriteString(sum, id) // never fails
	return "job-" + hex.EncodeToString(sum.Sum(nil))
}

func segmentName(token string, process, segment int) string {
	return fmt.Sprintf("%s.p%05d.%06d%s", token, process, segment, suffix)
}

func launcherName(token string) string { return token + ".launcher" + suffix }

// fileName is the parsed name of a file of a record.
type fileName struct {
	name    string
	token   string
	process int // noProcess for the launcher
	segment int
}

// parseName parses the name of a file of a record.
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

// claim creates a file of a job, and its folder if necessary. It fails if the folder holds files of another job.
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
	if err := ours(dir, token); err != nil { // two jobs that begin at the same moment detect each other here
		file.Close()
		_ = disk.Remove(path)
		return disk.File{}, err
	}
	return file, nil
}

func openNew(path string) (disk.File, error) {
	return disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
}

// ours returns an error if the folder holds the record of another job.
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
