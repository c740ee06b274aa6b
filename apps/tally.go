package apps

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/activepebbles/pebbles/pebble"
)

// Tally is an application's account, on one rank, of the pebbles of a phase. Over all ranks the pebbles sent must equal
// those handled or merged, each at the owner of its key. It costs a few additions per batch, plus fingerprints.
type Tally struct {
	Sent      uint64 // by the application's formula, or counted at its sends
	Handled   uint64 // received by its handlers
	Misplaced uint64 // of those, pebbles whose keys belong to other ranks by the formula of the distribution
	Sum       uint64 // fingerprints of the pebbles sent minus those of the pebbles handled; 0 without fingerprints
}

// Fold returns a fingerprint of two numbers, for one multiplication. Sums of fingerprints of different sets of pebbles
// are equal only by accident.
func Fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9E3779B97F4A7C15, b^0xD1342543DE82EF95)
	return high ^ low
}

// Send counts one pebble that is sent.
func (t *Tally) Send(fingerprint uint64) {
	t.Sent++
	t.Sum += fingerprint
}

// Take counts one received pebble. own reports whether its key belongs to this rank.
func (t *Tally) Take(fingerprint uint64, own bool) {
	t.Handled++
	t.Sum -= fingerprint
	if !own {
		t.Misplaced++
	}
}

// Add returns the sum of two tallies.
func (t Tally) Add(o Tally) Tally {
	return Tally{t.Sent + o.Sent, t.Handled + o.Handled, t.Misplaced + o.Misplaced, t.Sum + o.Sum}
}

// Since returns the difference to an earlier tally of the same pebbles.
func (t Tally) Since(before Tally) Tally {
	return Tally{t.Sent - before.Sent, t.Handled - before.Handled, t.Misplaced - before.Misplaced, t.Sum - before.Sum}
}

// Check returns an error, the same on every rank, if the tallies of all ranks do not agree. It is for phases without
// merged pebbles whose results other phases need, such as making data. All ranks call it.
func (t Tally) Check(r *pebble.Rank, phase string) error {
	total, err := pebble.AllReduce(r, t, Tally.Add)
	if err != nil {
		return err
	}
	var texts []string
	for _, f := range total.faults(0) {
		texts = append(texts, f.text)
	}
	if texts == nil {
		return nil
	}
	return errors.New(phase + ": " + strings.Join(texts, "; "))
}

// fault is a mistake and the number of its occurrences.
type fault struct {
	count uint64
	text  string
}

// faults returns the mistakes in the tally of all ranks, given the number of merged pebbles.
func (t Tally) faults(merged uint64) (all []fault) {
	add := func(count uint64, format string, args ...any) {
		all = append(all, fault{count, fmt.Sprintf(format, args...)})
	}
	switch arrived := t.Handled + merged; {
	case arrived < t.Sent:
		add(t.Sent-arrived, "%s missing of the %d that were sent", are(t.Sent-arrived, "pebble"), t.Sent)
	case arrived > t.Sent:
		add(arrived-t.Sent, "%s handled or merged than the %d that were sent", are(arrived-t.Sent, "more pebble"), t.Sent)
	case merged == 0 && t.Sum != 0:
		add(1, "the pebbles that were handled are not those that were sent: "+
			"some were altered, or lost and others handled twice")
	}
	if t.Misplaced > 0 {
		add(t.Misplaced, "%s handled at ranks that do not own their keys", are(t.Misplaced, "pebble"))
	}
	return all
}

// miscounts returns the differences between the runtime's counts of pebbles and the application's.
func (t Tally) miscounts(c pebble.Counters) (all []fault) {
	for _, x := range []struct {
		did           string
		here, runtime uint64
	}{{"sent", t.Sent, c.PebblesSent}, {"handled", t.Handled, c.PebblesHandled}} {
		if x.here != x.runtime {
			all = append(all, fault{1, fmt.Sprintf("%s %s, and the runtime counted %d", are(x.here, "pebble"), x.did,
				x.runtime)})
		}
	}
	return all
}

func are(n uint64, what string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s is", n, what)
	}
	return fmt.Sprintf("%d %ss are", n, what)
}
