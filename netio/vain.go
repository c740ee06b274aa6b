package netio

import "time"

// vain is a row of pauses in which nothing came, and what a rank has learned from earlier ones.
//
// A pause costs a microsecond or less while nobody else wants the core: sched_yield comes back at once. Beside threads that compute,
// each sched_yield gives a slice of the scheduler away, milliseconds, and hundreds of pauses take seconds. A rank that sleeps is
// scheduled soon after its wake-up, since it has used less than its share. So a row ends when it has taken long. After a row that took
// long some rows end before their first pause; then pauses are tried again, for the machine may be quiet by then.
type vain struct {
	pauses int
	began  time.Duration
	skip   int // rows to come that end at once
	skips  int // what the last long row has set skip to; 0 when the last row was not long
}

const (
	// vainMax is longer than one slice of Linux on few cores (3 ms), in which a rank of the same job may answer, and than the
	// most pauses in a row on a quiet machine: 2,048, of less than 2 µs.
	vainMax = 4 * time.Millisecond
	// A long row is followed by skipMin rows without pauses, and twice as many each time that the next one is long again. To sleep and be
	// woken takes some 20 µs: skipMin times that is a twentieth of vainMax, for ranks that would have had their answer sooner. With
	// skipMax, long rows take at most a few times as long as the sleeps between them, on a machine that stays busy.
	skipMin = 8
	skipMax = 64
)

// long tells whether the row should end. It reads the clock before the first pause, and after 1, 2, 4, 8, … of them: 40 ns a time.
func (v *vain) long() bool {
	switch {
	case v.pauses&(v.pauses-1) != 0:
		return false
	case v.pauses > 0:
		return v.late()
	case v.skip > 0:
		v.skip--
		return true
	}
	v.began = time.Since(processStart)
	return false
}

func (v *vain) late() bool { return time.Since(processStart)-v.began > vainMax }

// end ends the row: something has come, or the rank parks. It reads the clock when long has been asked in this row.
func (v *vain) end() {
	paused := v.pauses > 0
	v.pauses = 0
	if !paused || v.began == 0 {
		return
	}
	if !v.late() {
		v.skips = 0
		return
	}
	v.skips = min(max(2*v.skips, skipMin), skipMax)
	v.skip = v.skips
}
