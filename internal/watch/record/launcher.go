package record

import (
	"fmt"
	"os"
	"time"

	"github.com/activepebbles/pebbles/internal/disk"
)

// Launcher writes what the launcher of a job sees: one short line for each process that ends. It is for one goroutine,
// and writes before it returns.
type Launcher struct {
	file disk.File
	torn bool // the last write was cut: the next begins a line
}

// CreateLauncher begins the launcher's file of a job with an id, in the folder of [Create].
func CreateLauncher(dir, id, program string, processes int, at time.Time) (*Launcher, error) {
	token := tokenOf(id, at, os.Getpid())
	file, err := claim(dir, token, launcherName(token))
	if err != nil {
		return nil, err
	}
	l := &Launcher{file: file}
	line := launchLine{version, words(id, valueMax), words(program, valueMax), processes, stamp(at)}
	if err := l.write(launchKind, line); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// Ended writes that a process has ended, and how: its status or signal, in words. First says that it is the one whose
// fault it was that the job failed; it may be said again of a process, when only later it is known.
func (l *Launcher) Ended(at time.Time, process int, how string, first bool) error {
	return l.write(endedKind, endedLine{stamp(at), process, words(how, causeMax), first})
}

// Close ends the file: the job has ended like this, which is "" when it was in order.
func (l *Launcher) Close(at time.Time, how string) error {
	err := l.write(endKind, endLine{stamp(at), words(how, causeMax)})
	if closed := l.file.Close(); err == nil && closed != nil {
		err = fmt.Errorf("close the launcher's record: %w", closed)
	}
	return err
}

func (l *Launcher) write(kind string, says any) error {
	var text []byte
	if l.torn {
		text = append(text, '\n')
	}
	text = appendLine(text, kind, says)
	n, err := l.file.Write(text)
	if n > 0 {
		l.torn = n < len(text)
	}
	if err != nil {
		return fmt.Errorf("write the launcher's record: %w", err)
	}
	return nil
}
