package engine

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// agree compares the registrations and frees since the last epoch across all ranks. A rank without any, while another
// has some, is detected by the purposes of their messages.
func agree(r *Rank) error {
	text := r.Targets.news
	if len(text) == 0 {
		return nil
	}
	hash := binary.BigEndian.AppendUint64(nil, hashOf(text))
	result, err := r.Collectives.networks[registration].run(r.Collectives.exchange, append(hash, hash...), widen)
	if err != nil {
		return err
	}
	if binary.BigEndian.Uint64(result) == binary.BigEndian.Uint64(result[8:]) {
		r.Targets.news = nil
		return nil
	}
	return disagree(r, text)
}

func hashOf(text []byte) uint64 {
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()
}

// widen merges two ranges of hashes, lowest and highest.
func widen(into, from []byte) {
	low := min(binary.BigEndian.Uint64(into), binary.BigEndian.Uint64(from))
	high := max(binary.BigEndian.Uint64(into[8:]), binary.BigEndian.Uint64(from[8:]))
	binary.BigEndian.PutUint64(into, low)
	binary.BigEndian.PutUint64(into[8:], high)
}

// disagree finds the first difference and fails the job with it, in the same words on every rank.
func disagree(r *Rank, text []byte) error {
	all, err := r.Collectives.AllGatherV(Values{}, text)
	if err != nil {
		return err
	}
	for rank := 1; rank < len(all); rank++ {
		if name, why := firstDifference(0, all[0], rank, all[rank]); why != "" {
			r.Fail(&RegistrationError{rank, name, why})
		}
	}
	return fmt.Errorf("pebble: ranks registered or freed different targets, but their descriptions are equal")
}

// firstDifference describes the first difference between two lists of descriptions, and returns the name of its target;
// "" for equal lists.
func firstDifference(rankA int, a []byte, rankB int, b []byte) (name, why string) {
	const rule = "all ranks must register and free the same targets in the same order"
	as, bs := lines(a), lines(b)
	for i := range max(len(as), len(bs)) {
		switch {
		case i >= len(as):
			return named(bs[i]), fmt.Sprintf("rank %d %s, which rank %d does not: %s", rankB, brief(bs[i]), rankA, rule)
		case i >= len(bs):
			return named(as[i]), fmt.Sprintf("rank %d %s, which rank %d does not: %s", rankA, brief(as[i]), rankB, rule)
		case begun(as[i]) != begun(bs[i]):
			return named(bs[i]), fmt.Sprintf("rank %d %s, and rank %d %s in its place: %s",
				rankA, brief(as[i]), rankB, brief(bs[i]), rule)
		case as[i] != bs[i]:
			name, begin := named(as[i]), len(begun(as[i])+" of ")
			x, y := parts(as[i][begin:], bs[i][begin:])
			return name, fmt.Sprintf("target %q has %s on rank %d, and %s on rank %d: %s", name, x, rankA, y, rankB, rule)
		}
	}
	return "", ""
}

// begun returns the beginning of a line: the action and its object. The rest describes a target that is registered.
func begun(line string) string {
	verb, object, _ := strings.Cut(line, ` "`)
	quoted, _ := strconv.QuotedPrefix(`"` + object) // "" if it has none
	return verb + " " + quoted
}

// named returns the name of the object in a line.
func named(line string) string {
	_, quoted, _ := strings.Cut(begun(line), ` "`)
	name, _ := strconv.Unquote(`"` + quoted)
	return name
}

// brief returns a description without its settings.
func brief(description string) string {
	what, _, _ := strings.Cut(description, ", distribution ")
	return shorten(what)
}

// parts returns the parts, between commas or semicolons, that differ in two descriptions.
func parts(a, b string) (x, y string) {
	const ends = ",;"
	from := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if strings.ContainsRune(ends, rune(a[i])) {
			from = i + 1
		}
	}
	a, b = a[from:], b[from:]
	end := 0
	for i := 1; i <= min(len(a), len(b)) && a[len(a)-i] == b[len(b)-i]; i++ {
		if strings.ContainsRune(ends, rune(a[len(a)-i])) {
			end = i
		}
	}
	return shorten(strings.TrimSpace(a[:len(a)-end])), shorten(strings.TrimSpace(b[:len(b)-end]))
}

// partBytes bounds the length of a description in an error.
const partBytes = 160

func shorten(text string) string {
	if len(text) <= partBytes {
		return text
	}
	return strings.ToValidUTF8(text[:partBytes], "") + "..."
}

func lines(text []byte) []string { return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") }
