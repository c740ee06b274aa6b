package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
)

// timed is one run of a line.
type timed struct {
	Seconds  float64          `json:"seconds"` // from the start of the shell to the end of all its processes
	Errors   int              `json:"errors"`  // 0: the line's status was 0; otherwise no object is printed
	Checksum string           `json:"checksum"`
	Counters map[string]int64 `json:"counters"`
}

// timeProgram runs a line of bash, which fails if a part of a pipe fails. The checksum is that of its output, or of a
// file that it writes, which is removed before and afterwards.
func timeProgram() lab.Program {
	var line, file string
	return lab.Program{Name: "time", Own: func(f *flag.FlagSet) {
		f.StringVar(&line, "line", "", "the line")
		f.StringVar(&file, "sum", "", "take the checksum of this file, which the line writes, not of what it prints")
	}, Run: func(ctx context.Context, s *lab.Session) error {
		if line == "" {
			return lab.UsageError{Err: fmt.Errorf("there is no line: give -line LINE")}
		}
		if file != "" {
			remove := func() { _ = os.Remove(file) } // it need not exist
			remove()
			defer remove()
		}
		o, err := machine.Run(ctx, limit, nil, "bash", "-o", "pipefail", "-c", line)
		if err != nil {
			return err
		}
		t := timed{Seconds: o.Took.Seconds(), Counters: map[string]int64{"resident_bytes": o.Resident}}
		hash := sha256.New()
		if file == "" {
			if len(o.Text) == 0 {
				return fmt.Errorf("%s: it has printed nothing", line)
			}
			hash.Write(o.Text)
		} else if err := add(hash, file); err != nil {
			return err
		}
		t.Checksum = fmt.Sprintf("%x", hash.Sum(nil)[:8])
		return json.NewEncoder(s.Stdout).Encode(t)
	}}
}

func add(to io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}
