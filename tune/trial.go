package tune

// Trial is what to run the next window with.
type Trial struct {
	Setting Setting
	// Seconds is after how long the window must end, when windows can be cut short; 0 is no limit. A shorter window is as
	// useful.
	Seconds    float64
	Experiment bool // the setting is not the one in force
}

// Decision is one change that was tried.
type Decision struct {
	Window  int     `json:"window"` // how many windows there had been
	From    Setting `json:"from"`
	To      Setting `json:"to"`
	Kept    bool    `json:"kept"`    // by a duel; of others, taken until the duel
	Ratio   float64 `json:"ratio"`   // how many times as fast it was
	Noise   float64 `json:"noise"`   // deviation of a window, as part of it
	Windows int     `json:"windows"` // that it was tried for
	Reason  string  `json:"reason"`
	Phase   string  `json:"phase"` // what was being searched: "model", "coalesce", "cache", "topology", "race", "duel"
}
