package launch

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Host is a host of a job, and its number of slots for processes.
type Host struct {
	Name  string
	Slots int // 0 if not given
}

// hostsMax bounds the hosts in a list: more hosts than processes are useless.
const hostsMax = processesMax

// ParseHosts reads a list of hosts, separated by commas. Numbers may be in brackets, as Slurm writes them:
// "node[01-04,07],gpu1" is node01, node02, node03, node04, node07, gpu1. A name may be followed by ":" and the number
// of its slots, and a name with brackets gives them to each of its hosts. An IPv6 address takes no slots here; a
// hostfile has a word for them.
func ParseHosts(list string) ([]Host, error) {
	parts, err := splitHosts(list)
	if err != nil {
		return nil, err
	}
	var hosts []Host
	for _, part := range parts {
		some, err := parsePart(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if hosts = append(hosts, some...); len(hosts) > hostsMax {
			return nil, fmt.Errorf("%q stands for more than %d hosts", list, hostsMax)
		}
	}
	return hosts, nil
}

// OnlyHere reports whether all hosts are this one, by its own name or by that of its loopback.
func OnlyHere(hosts []Host) bool {
	name, err := os.Hostname()
	elsewhere := func(h Host) bool {
		at, _ := netip.ParseAddr(h.Name)
		return h.Name != "localhost" && !at.IsLoopback() && (err != nil || h.Name != name)
	}
	return len(hosts) > 0 && !slices.ContainsFunc(hosts, elsewhere)
}

// splitHosts splits at the commas that are outside of brackets.
func splitHosts(list string) (parts []string, err error) {
	inside, start := false, 0
	for i, c := range []byte(list) {
		switch {
		case c == '[' && inside:
			return nil, fmt.Errorf("%q has a bracket in a bracket", list)
		case c == ']' && !inside:
			return nil, fmt.Errorf("%q closes a bracket that was not opened", list)
		case c == '[' || c == ']':
			inside = c == '['
		case c == ',' && !inside:
			parts = append(parts, list[start:i])
			start = i + 1
		}
	}
	if inside {
		return nil, fmt.Errorf("%q has no closing bracket", list)
	}
	return append(parts, list[start:]), nil
}

// parsePart reads one name, perhaps with brackets and slots.
func parsePart(part string) ([]Host, error) {
	pattern, slots := part, 0
	if name, number, ok := strings.Cut(part, ":"); ok && !isAddress(part) {
		var err error
		if slots, err = parseSlots(number); err != nil {
			return nil, fmt.Errorf("%q: %w", part, err)
		}
		pattern = name
	}
	names, err := expand(pattern)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", part, err)
	}
	hosts := make([]Host, len(names))
	for i, name := range names {
		if err := checkHost(name); err != nil {
			return nil, err
		}
		hosts[i] = Host{name, slots}
	}
	return hosts, nil
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

func parseSlots(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > processesMax || text[0] == '+' {
		return 0, fmt.Errorf("the slots of a host are a number from 1 to %d, %q is not", processesMax, text)
	}
	return n, nil
}

// expand lists the names of a pattern with brackets. The last bracket changes fastest.
func expand(pattern string) ([]string, error) {
	head, rest, ok := strings.Cut(pattern, "[")
	if !ok {
		return []string{pattern}, nil
	}
	inside, tail, _ := strings.Cut(rest, "]") // present, as splitHosts has checked
	numbers, err := expandNumbers(inside)
	if err != nil {
		return nil, err
	}
	tails, err := expand(tail)
	if err != nil {
		return nil, err
	}
	if len(numbers)*len(tails) > hostsMax {
		return nil, fmt.Errorf("it stands for more than %d hosts", hostsMax)
	}
	names := make([]string, 0, len(numbers)*len(tails))
	for _, n := range numbers {
		for _, t := range tails {
			names = append(names, head+n+t)
		}
	}
	return names, nil
}

// expandNumbers lists the numbers of a bracket, from numbers and ranges, with the number of digits of the first.
func expandNumbers(inside string) (numbers []string, err error) {
	for item := range strings.SplitSeq(inside, ",") {
		low, high, ranged := strings.Cut(strings.Trim(item, " "), "-")
		if !ranged {
			high = low
		}
		first, err1 := digits(low)
		last, err2 := digits(high)
		switch {
		case err1 != nil || err2 != nil:
			return nil, fmt.Errorf("%q in a bracket is neither a number nor a range such as 01-04", item)
		case last < first || len(high) < len(low):
			return nil, fmt.Errorf("the range %q ends before it begins, or has fewer digits at its end", item)
		case last-first >= hostsMax-len(numbers):
			return nil, fmt.Errorf("it stands for more than %d hosts", hostsMax)
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, fmt.Sprintf("%0*d", len(low), n))
		}
	}
	return numbers, nil
}

// digits reads a number that consists of digits only.
func digits(text string) (int, error) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, errors.New("no number")
	}
	return strconv.Atoi(text)
}

// checkHost refuses names that ssh would take for an option, and names that are not possible for a host.
func checkHost(name string) error {
	odd := func(c rune) bool { return c <= ' ' || c == 0x7f }
	if name == "" || name[0] == '-' || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("%q can't be the name of a host", name)
	}
	return nil
}

// Slots returns the number of processes that the hosts take together. A host without a number takes one.
func Slots(hosts []Host) (n int) {
	for _, h := range hosts {
		n += max(h.Slots, 1)
	}
	return n
}

// PlaceOn returns the Hosts of a [Spec] that puts processes on hosts. If slots are given, the hosts are filled in
// order, and too few slots are an error. Otherwise each host has the same share.
func PlaceOn(hosts []Host, processes int) ([]string, error) {
	named, counted := make([]string, len(hosts)), false
	for i, h := range hosts {
		named[i] = h.Name
		counted = counted || h.Slots > 0
	}
	if !counted {
		return named, nil
	}
	if slots := Slots(hosts); processes > slots {
		return nil, fmt.Errorf("there are %d slots on %d hosts for %d processes: start fewer, or give the hosts more slots",
			slots, len(hosts), processes)
	}
	var places []string
	for _, h := range hosts {
		for range min(max(h.Slots, 1), processes-len(places)) {
			places = append(places, h.Name)
		}
	}
	return places, nil
}
