package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/netio/sim"
)

// simulatedFaults are the flags for faults.
type simulatedFaults struct {
	chances []string
	deaths  []string
	freezes []string
	parts   []string
}

func (s *simulatedFaults) register(f *pflag.FlagSet) {
	f.StringSliceVar(&s.chances, "fault", nil,
		"`probability` that a frame suffers delay, loss, double or corrupt, such as delay=0.1; repeatable")
	f.StringSliceVar(&s.deaths, "die", nil, "kill a `process`, such as 3@20us; repeatable")
	f.StringSliceVar(&s.freezes, "freeze", nil, "stop a `process` for a time, such as 3@20us+5ms; repeatable")
	f.StringSliceVar(&s.parts, "part", nil,
		"separate the processes below this `process` from the others for a time, such as 2@20us+5ms; repeatable")
}

func (s *simulatedFaults) parse() (f sim.Faults, err error) {
	for _, text := range s.chances {
		if err := chance(&f, text); err != nil {
			return f, err
		}
	}
	for _, text := range s.deaths {
		m, err := parseMoment(text)
		if err != nil || m.lasts != 0 {
			return f, fmt.Errorf("--die %s: write PROCESS@TIME, such as 3@20us", text)
		}
		f.Deaths = append(f.Deaths, sim.Death{Process: m.process, At: m.at})
	}
	for _, text := range s.freezes {
		m, err := parseMoment(text)
		if err != nil {
			return f, fmt.Errorf("--freeze %s: write PROCESS@TIME+TIME, such as 3@20us+5ms", text)
		}
		f.Freezes = append(f.Freezes, sim.Freeze{Process: m.process, At: m.at, For: m.lasts})
	}
	for _, text := range s.parts {
		m, err := parseMoment(text)
		if err != nil {
			return f, fmt.Errorf("--part %s: write PROCESS@TIME+TIME, such as 2@20us+5ms", text)
		}
		f.Partitions = append(f.Partitions, sim.Partition{Below: m.process, At: m.at, For: m.lasts})
	}
	return f, nil
}

func chance(f *sim.Faults, text string) error {
	name, value, _ := strings.Cut(text, "=")
	n, err := strconv.ParseFloat(value, 64)
	at := map[string]*float64{"delay": &f.Delay, "loss": &f.Loss, "double": &f.Double, "corrupt": &f.Corrupt}[name]
	if at == nil || err != nil {
		return fmt.Errorf("--fault %s: write delay, loss, double or corrupt, and how likely it is, such as loss=0.001", text)
	}
	*at = n
	return nil
}

// moment is the time and duration of an event of a process.
type moment struct {
	process   int
	at, lasts time.Duration
}

func parseMoment(text string) (m moment, err error) {
	process, rest, _ := strings.Cut(text, "@")
	at, lasts, long := strings.Cut(rest, "+")
	if m.process, err = strconv.Atoi(process); err != nil {
		return m, err
	}
	if m.at, err = time.ParseDuration(at); err != nil || !long {
		return m, err
	}
	m.lasts, err = time.ParseDuration(lasts)
	return m, err
}
