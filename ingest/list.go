package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/export"
)

// A file is a file to read. All ranks have the same data about it.
type file struct {
	Name string
	Size int64
	Kind kind
	Cuts []int64 // offsets where it may be cut; nil for a plain file of records, which may be cut anywhere
	// Uncut means that the format cannot find the first record of a share.
	Uncut bool
	Part  export.Part // its entry in the manifest of its folder; without a name there is none
	info  fs.FileInfo // of this host's file; nil if this rank does not read it
}

// anywhere reports whether a file may be cut at every byte.
func (f *file) anywhere() bool { return f.Kind == plain && f.Cuts == nil }

// A lister collects the files that patterns name, each once.
type lister struct {
	files []file
	names map[string]bool
	alike map[identity][]fs.FileInfo // files that may be the same, because their size and time are equal
}

type identity struct {
	size int64
	time time.Time
}

// list finds the files that patterns name, in the order of the patterns. The files of a pattern are sorted.
func list(patterns []string) ([]file, error) {
	if len(patterns) == 0 {
		return nil, errors.New("no file is given: name a file or a pattern")
	}
	l := lister{names: map[string]bool{}, alike: map[identity][]fs.FileInfo{}}
	for _, pattern := range patterns {
		if err := l.pattern(pattern); err != nil {
			return nil, err
		}
	}
	return l.files, nil
}

func (l *lister) pattern(pattern string) error {
	switch pattern {
	case "":
		return errors.New("a name is empty: name a file or a pattern")
	case "-":
		return errors.New("-: is standard input, which ranks cannot share: write it to a file and name the file")
	}
	_, err := os.Lstat(pattern)
	if err == nil || !strings.ContainsAny(pattern, `*?[`) {
		return l.add(pattern) // reports the cause
	}
	if strings.Contains(pattern, "**") {
		return fmt.Errorf("%s: ** is not supported: write one * for each level of folders", pattern)
	}
	names, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("%s: %w: check the brackets", pattern, err)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no file matches: check the pattern and the folder that the job runs in", pattern)
	}
	for _, name := range names {
		if err := l.add(name); err != nil {
			return err
		}
	}
	return nil
}

// add adds a file, or the parts of a folder that package export wrote.
func (l *lister) add(name string) error {
	name = filepath.Clean(name)
	if l.names[name] {
		return nil
	}
	l.names[name] = true
	info, err := os.Stat(name)
	if err != nil {
		return advise(err)
	}
	if info.IsDir() {
		return l.folder(name)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is a %s, which ranks cannot share: write it to a file and name the file", name,
			kindOfNode(info.Mode()))
	}
	same := identity{info.Size(), info.ModTime()}
	for _, other := range l.alike[same] {
		if os.SameFile(info, other) {
			return fmt.Errorf("%s: is the same file as %s: name it once", name, other.Name())
		}
	}
	l.alike[same] = append(l.alike[same], info)
	l.files = append(l.files, file{Name: name, Size: info.Size()})
	return nil
}

// folder adds the parts that a folder's manifest lists, and returns an error if the folder has other files. Names that
// begin with a point belong to tools and are ignored.
func (l *lister) folder(name string) error {
	m, err := export.ReadManifest(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: is a folder: name the files in it, as in %s", name, filepath.Join(name, "*"))
	}
	if err != nil {
		return err
	}
	for _, p := range m.Parts {
		before, path := len(l.files), filepath.Join(name, p.Name)
		const listed = "and its folder's manifest lists it as a part, with %d bytes and the checksum %s: write the " +
			"folder again"
		if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: is missing, "+listed, path, p.Bytes, p.Checksum)
		} else if err == nil && info.IsDir() {
			return fmt.Errorf("%s: is a folder, "+listed, path, p.Bytes, p.Checksum)
		}
		if err := l.add(path); err != nil {
			return err
		}
		if len(l.files) == before { // the file is also named directly
			continue
		}
		l.files[before].Part = p
		if found := l.files[before].Size; found != p.Bytes {
			changed := fmt.Errorf("%s: had %d bytes, and changed while the folder was listed: read the folder when "+
				"it is complete", path, found)
			return cmp.Or(p.Check(name), changed)
		}
	}
	return l.strangers(name)
}

// strangers returns an error for a folder with files that its manifest does not list.
func (l *lister) strangers(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return advise(err)
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if !l.names[name] && e.Name() != export.ManifestName && e.Name()[0] != '.' {
			return fmt.Errorf("%s: is not in the folder's manifest: remove it, or name the files to read", name)
		}
	}
	return nil
}

func kindOfNode(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// A fileError is a common error of a file, with the remedy.
type fileError struct {
	text  string
	cause error
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.cause }

// advise adds the remedy to common errors of files.
func advise(err error) error {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fileError{path.Path + ": no such file: check the name and the folder that the job runs in", err}
	case errors.Is(err, fs.ErrPermission):
		return &fileError{path.Path + ": permission denied: allow the user of the job to read it", err}
	}
	return err
}
