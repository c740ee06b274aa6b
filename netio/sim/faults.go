package sim

import (
	"fmt"
	"time"
)

// Faults are injected at random, by the world's seed. docs/contract.md gives the runtime's guarantees under each.
type Faults struct {
	// Delay is the probability that a frame is late, and DelayMost the longest delay. Other frames overtake delayed
	// ones. Only time changes.
	Delay     float64       `json:"delay,omitempty"`
	DelayMost time.Duration `json:"delay_most,omitempty"` // 0 is 100 µs

	// Loss, Double and Corrupt are probabilities for a frame between processes. A lost or damaged frame ends the job. A
	// second copy is dropped.
	Loss    float64 `json:"loss,omitempty"`
	Double  float64 `json:"double,omitempty"`
	Corrupt float64 `json:"corrupt,omitempty"`

	// Hide is the time for which the data of a finished put stays hidden unless a fence makes it visible. It is the
	// least that netio.OneSided promises.
	Hide time.Duration `json:"hide,omitempty"`

	Partitions []Partition `json:"partitions,omitempty"`
	Freezes    []Freeze    `json:"freezes,omitempty"`
	Deaths     []Death     `json:"deaths,omitempty"`

	Silence time.Duration `json:"silence,omitempty"` // silence after which a process counts as lost; 0 is 10 s
}

// Partition separates processes 0..Below-1 from the others for a time. Frames sent meanwhile arrive afterwards. If it
// lasts for the silence limit, the job ends.
type Partition struct {
	Below int           `json:"below"`
	At    time.Duration `json:"at"`
	For   time.Duration `json:"for"`
}

// Freeze stops the ranks of a process for a time.
type Freeze struct {
	Process int           `json:"process"`
	At      time.Duration `json:"at"`
	For     time.Duration `json:"for"`
}

// Death kills a process.
type Death struct {
	Process int           `json:"process"`
	At      time.Duration `json:"at"`
}

const (
	delayDefault   = 100 * time.Microsecond
	silenceDefault = 10 * time.Second
	breaksAfter    = 10 * time.Millisecond // time to notice a broken connection
)

// None reports whether f has no faults.
func (f Faults) None() bool {
	return f.Delay == 0 && f.Hide == 0 && !f.frames() && len(f.Partitions)+len(f.Freezes)+len(f.Deaths) == 0
}

// Harmless reports whether no fault can end the job.
func (f Faults) Harmless() bool {
	f = f.withDefaults()
	for _, p := range f.Partitions {
		if p.For >= f.Silence {
			return false
		}
	}
	for _, z := range f.Freezes {
		if z.For >= f.Silence {
			return false
		}
	}
	return f.Loss == 0 && f.Corrupt == 0 && len(f.Deaths) == 0
}

// frames reports whether frames between processes can be faulty.
func (f Faults) frames() bool { return f.Loss > 0 || f.Double > 0 || f.Corrupt > 0 }

func (f Faults) withDefaults() Faults {
	if f.DelayMost == 0 {
		f.DelayMost = delayDefault
	}
	if f.Silence == 0 {
		f.Silence = silenceDefault
	}
	return f
}

func (f Faults) check(processes int) error {
	f = f.withDefaults()
	chances := map[string]float64{"delay": f.Delay, "loss": f.Loss, "double": f.Double, "corrupt": f.Corrupt}
	for name, chance := range chances {
		if !(chance >= 0 && chance <= 1) {
			return fmt.Errorf("sim: faults: %s %v: a chance is 0 to 1", name, chance)
		}
	}
	if f.Silence < 0 || f.DelayMost < 0 || f.DelayMost >= f.Silence/2 {
		return fmt.Errorf("sim: faults: a delay of %v and a silence limit of %v: "+
			"the limit must be more than twice the longest delay", f.DelayMost, f.Silence)
	}
	exists := func(process int) bool { return process >= 0 && process < processes }
	for _, p := range f.Partitions {
		if p.Below < 1 || !exists(p.Below) || p.At < 0 || p.For < 0 {
			return fmt.Errorf("sim: faults: a partition below process %d of %d, at %v for %v: "+
				"each side needs a process, and times are positive", p.Below, processes, p.At, p.For)
		}
	}
	for _, z := range f.Freezes {
		if !exists(z.Process) || z.At < 0 || z.For < 0 {
			return fmt.Errorf("sim: faults: process %d of %d is frozen at %v for %v: "+
				"it must exist, and times are positive", z.Process, processes, z.At, z.For)
		}
	}
	for _, d := range f.Deaths {
		if !exists(d.Process) || d.At < 0 {
			return fmt.Errorf("sim: faults: process %d of %d dies at %v: it must exist, and times are positive",
				d.Process, processes, d.At)
		}
	}
	return nil
}
