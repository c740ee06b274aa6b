package engine

// What packages of this module have of each other that programs don't see. Each is set when its package is initialized.
var (
	// RankOf is the engine's part of a *pebble.Rank.
	RankOf func(rank any) *Rank
	// WithEngine is a *pebble.Rank with another engine's part.
	WithEngine func(rank any, e *Rank) any
	// TargetOf is the engine's part of a *target.Target.
	TargetOf func(target any) *Target
	// Serving is a target.Option: chains may be so much longer than a declared depth, since they are not the program's.
	Serving func(beyond int) any
)
