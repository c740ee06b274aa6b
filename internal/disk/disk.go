// Package disk has the calls that write results to a file: create, write, sync, close, rename and remove. A writer that
// must not lose an error makes its calls here, so a test can let each call fail once: see package disktest.
package disk

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// Fault returns the error of a call on a file, by the name of the call and of the file; nil lets the call continue.
type Fault func(call, name string) error

var fault atomic.Pointer[Fault] // nil outside of tests

// SetFault installs a function that is called before each call; nil removes it. It is for package disktest.
func SetFault(f Fault) {
	if f == nil {
		fault.Store(nil)
		return
	}
	fault.Store(&f)
}

// Meets returns the injected error of a call. Code with its own file calls may call it; it costs one load.
func Meets(call, name string) error {
	f := fault.Load()
	if f == nil {
		return nil
	}
	if err := (*f)(call, name); err != nil {
		return &os.PathError{Op: call, Path: name, Err: err}
	}
	return nil
}

// File is a file that is written.
type File struct{ *os.File }

// OpenFile is os.OpenFile.
func OpenFile(name string, flag int, mode os.FileMode) (File, error) {
	if err := Meets("open", name); err != nil {
		return File{}, err
	}
	f, err := os.OpenFile(name, flag, mode)
	return File{f}, err
}

// CreateTemp is os.CreateTemp.
func CreateTemp(folder, pattern string) (File, error) {
	if err := Meets("open", pattern); err != nil {
		return File{}, err
	}
	f, err := os.CreateTemp(folder, pattern)
	return File{f}, err
}

// WriteFile is os.WriteFile.
func WriteFile(name string, text []byte, mode os.FileMode) error {
	f, err := OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Write implements io.Writer.
func (f File) Write(b []byte) (int, error) {
	if err := Meets("write", f.Name()); err != nil {
		return 0, err
	}
	return f.File.Write(b)
}

// WriteAt implements io.WriterAt.
func (f File) WriteAt(b []byte, offset int64) (int, error) {
	if err := Meets("write", f.Name()); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, offset)
}

// ReadFrom implements io.ReaderFrom: the kernel copies where it can.
func (f File) ReadFrom(r io.Reader) (int64, error) {
	if err := Meets("write", f.Name()); err != nil {
		return 0, err
	}
	return f.File.ReadFrom(r)
}

// Sync is os.File's Sync.
func (f File) Sync() error {
	if err := Meets("sync", f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

// Close closes the file, also if it returns an error.
func (f File) Close() error { return errors.Join(Meets("close", f.Name()), f.File.Close()) }

// Rename is os.Rename.
func Rename(from, to string) error {
	if err := Meets("rename", from); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Remove is os.Remove.
func Remove(name string) error {
	if err := Meets("remove", name); err != nil {
		return err
	}
	return os.Remove(name)
}
