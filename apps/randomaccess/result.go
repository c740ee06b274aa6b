package randomaccess

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a run of RandomAccess tells.
type Result struct {
	apps.Report
	Log2Words        int     `json:"log2_words"` // of each rank
	Updates          uint64  `json:"updates"`    // of all ranks
	UpdatesPerSecond float64 `json:"updates_per_second"`
	Checksum         string  `json:"checksum"`    // of the table after the updates, 16 hexadecimal digits: the same for every shape of the network
	WaitingMax       int     `json:"waiting_max"` // updates that may wait in a rank at one time; of its own, where epochs bound them
	HPCCRule         bool    `json:"hpcc_rule"`   // WaitingMax is at most 1,024
}

// result is what is known before the run.
func (b *bench) result() Result {
	report := apps.NewReport(b.rank, "randomaccess", 0)
	report.Coalesce = b.quota.factor
	waiting := b.quota.waiting()
	if b.config.Epoch > 0 {
		waiting = min(waiting, b.config.Epoch)
	}
	return Result{
		Report:     report,
		Log2Words:  b.config.Log2Words,
		Updates:    b.config.updates() * uint64(b.rank.Size()),
		WaitingMax: waiting,
		HPCCRule:   waiting <= waitingMax && (!b.config.Tuned || b.config.Epoch > 0),
	}
}

// digits writes a checksum: JSON readers that know floating-point numbers alone would round a number.
func digits(sum uint64) string { return fmt.Sprintf("%016x", sum) }

func (r *Result) rate() { r.UpdatesPerSecond = apps.Rate(float64(r.Updates), r.Seconds) }

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	rule := "kept"
	if !r.HPCCRule {
		rule = "not kept"
	}
	return [][2]string{
		{"words", fmt.Sprintf("2^%d a rank", r.Log2Words)},
		{"updates", fmt.Sprint(r.Updates)},
		{"updates per second", fmt.Sprintf("%.2f million", r.UpdatesPerSecond/1e6)},
		{"checksum", r.Checksum},
		{"HPCC rule", fmt.Sprintf("%s: at most %d updates wait in a rank", rule, r.WaitingMax)},
	}
}
