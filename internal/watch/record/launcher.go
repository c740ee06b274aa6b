package record

import (
	"fmt"
	"os"
	"time"

	"github.com/activepebbles/pebbles/internal/disk"
)

// Launcher writes the launcher's part of a record: one line for each process that ends. One goroutine may use it at a
// time. Its methods write before they return.
type Launcher struct {
	file disk.File
	torn bool // the last write was cut: the next one begins a line
}

// CreateLauncher begins the launcher's file of a job, in the folder of [Create].
func CreateLauncher(dir, id, program string, processes int, at time.Time) (*Launcher, error) {
	token := tokenOf(id, at, os.Getpid())
	file, err := claim(dir, token, launcherName(token))
	if err != nil {
		return nil, err
	}
	l := &Launcher{file: file}
	if err := l.write(line{Launch: &launchLine{version, id, program, processes, stamp(at)}}); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// Ended records the end of a process: its status or signal, in words. First marks the process that caused the failure
// of the job. A second call for the same process may add it.
func (l *Launcher) Ended(at time.Time, process int, how string, first bool) error {
	return l.write(line{Ended: &endedLine{stamp(at), process, shortened(how), first}})
}

// Close ends the file: the job ended in order if how is empty, else with the error how.
func (l *Launcher) Close(at time.Time, how string) error {
	err := l.write(line{End: &endLine{stamp(at), shortened(how)}})
	if closed := l.file.Close(); err == nil && closed != nil {
		err = fmt.Errorf("close the launcher's record: %w", closed)
	}
	return err
}

func (l *Launcher) write(says line) error {
	var text []byte
	if l.torn {
		text = append(text, '\n')
	}
	text, err := appendLine(text, says)
	if err != nil {
		return err
	}
	n, err := l.file.Write(text)
	if n > 0 {
		l.torn = n < len(text)
	}
	if err != nil {
		return fmt.Errorf("write the launcher's record: %w", err)
	}
	return nil
}
