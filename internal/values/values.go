// Package values reads the values of flags: of the command, and of programs that take theirs from pebble.Flags.
package values

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Auto is the value of a setting that the job determines.
const Auto = "auto"

// Count reads a whole number of at least least.
func Count(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(text, "-"):
		return 0, err
	case err != nil || n < least:
		return 0, fmt.Errorf("must be a whole number, %d or more", least)
	}
	return n, nil
}

// CountOrAuto reads a whole number of at least least, or auto.
func CountOrAuto(text string, least int) (n int, auto bool, err error) {
	if text == Auto {
		return 0, true, nil
	}
	n, err = Count(text, least)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		err = fmt.Errorf("%w, or %s", err, Auto)
	}
	return n, false, err
}

var units = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
	"p": 1 << 50, "pib": 1 << 50, "pb": 1e15,
}

// Bytes reads a number of bytes: 65536, 64KiB, 64kB, 1.5G.
func Bytes(text string) (int64, error) {
	end := strings.IndexFunc(text, func(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' })
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text[:end]), 64)
	unit, ok := units[strings.ToLower(text[end:])]
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && ok && n*unit > 1<<60:
		return 0, strconv.ErrRange
	case err != nil || !ok || n*unit < 1:
		return 0, errors.New("must be a positive number of bytes such as 65536, 64MiB or 1.5GiB")
	}
	return int64(n * unit), nil
}

// BytesText formats a number of bytes in binary units, with four digits. [Bytes] reads its results for 1 to 1<<60.
func BytesText(n int64) string {
	size, unit := float64(n), 0
	for size >= 1024 && unit < 5 {
		size /= 1024
		unit++
	}
	return fmt.Sprintf("%.4g %s", size, []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}[unit])
}

// Wait reads a positive time, or never, which is -1.
func Wait(text string) (time.Duration, error) {
	if text == "never" {
		return -1, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, errors.New("must be a positive time such as 500us or 2ms, or never")
	}
	return d, nil
}

// WaitText formats a time for [Wait].
func WaitText(d time.Duration) string {
	if d < 0 {
		return "never"
	}
	return d.String()
}

// OneOf checks that a word is in a list.
func OneOf(text string, names []string) error {
	if slices.Contains(names, text) {
		return nil
	}
	return fmt.Errorf("use one of %s", strings.Join(names, ", "))
}
