package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// hostfileBytesMax bounds a hostfile: a larger file is something else.
const hostfileBytesMax = 4 << 20

// ReadHostfile reads the hosts of a job from a file, in the format of MPI: each line has hosts, as for [ParseHosts],
// and then the slots of each as "slots=4". A comment begins with "#". "max_slots=8" is checked and has no effect: a
// host never takes more processes than it has slots. Errors name the file and the line.
func ReadHostfile(name string) ([]Host, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read hostfile: %w", err)
	}
	defer f.Close()
	hosts, err := parseHostfile(f, name)
	if err != nil {
		return nil, fmt.Errorf("read hostfile: %w", err)
	}
	return hosts, nil
}

func parseHostfile(r io.Reader, name string) (hosts []Host, err error) {
	limited := &io.LimitedReader{R: r, N: hostfileBytesMax + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, hostfileBytesMax+1)
	number := 0
	for lines.Scan() && limited.N > 0 {
		number++
		some, err := parseHostLine(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if hosts = append(hosts, some...); len(hosts) > hostsMax {
			return nil, fmt.Errorf("%s:%d: there are more than %d hosts", name, number, hostsMax)
		}
	}
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("%s: it has more than %d bytes, a hostfile has fewer", name, hostfileBytesMax)
	case lines.Err() != nil:
		return nil, lines.Err()
	case len(hosts) == 0:
		return nil, fmt.Errorf("%s: it names no host", name)
	}
	return hosts, nil
}

var equals = regexp.MustCompile(`\s*=\s*`)

// parseHostLine reads one line, which may name no host.
func parseHostLine(line string) ([]Host, error) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(equals.ReplaceAllString(line, "="))
	if len(words) == 0 {
		return nil, nil
	}
	hosts, err := ParseHosts(words[0])
	if err != nil {
		return nil, err
	}
	slots, most := 0, 0
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		into := map[string]*int{"slots": &slots, "max_slots": &most, "max-slots": &most}[key]
		switch {
		case !ok || into == nil:
			return nil, fmt.Errorf("%q is unknown: a line is a host, slots=N and max_slots=N", w)
		case *into != 0:
			return nil, fmt.Errorf("%s is there twice", key)
		}
		if *into, err = parseSlots(value); err != nil {
			return nil, err
		}
	}
	return withSlots(hosts, slots, most)
}

// withSlots gives hosts the slots of their line.
func withSlots(hosts []Host, slots, most int) ([]Host, error) {
	for i := range hosts {
		h := &hosts[i]
		if slots > 0 && h.Slots > 0 {
			return nil, errors.New("slots are there twice, after the host's name and as slots=")
		}
		h.Slots = max(h.Slots, slots)
		if most > 0 && max(h.Slots, 1) > most {
			return nil, fmt.Errorf("slots of %s are %d, more than its max_slots=%d", h.Name, h.Slots, most)
		}
	}
	return hosts, nil
}
