// Package tune finds the setting that a job runs fastest with while the job runs: topology, coalescing factor and
// reduction cache (TRAM, section V.E, where a control system finds a buffer size within 5 decisions and a topology
// within 25).
//
//	next := tuner.Next()        the setting for the next window, and how long it may take
//	run a window with it        an epoch, or a part of one
//	tuner.Saw(window)           the work that was done in it, over all ranks, and the time that it took
//
// A [Tuner] begins with the setting that the job would have anyway, lets the model propose another (see package model),
// and tries what is near, one change at a time. Windows of the setting in force stand between those of the one that is
// tried, so that what drifts in the machine or the load reaches both. A change must beat the noise of the windows,
// which is measured. What experiments may cost is accounted for in seconds: see [Config].Share. When nothing is left to
// try the tuner only watches, and begins again when the load has changed for good.
//
// A tuner has no clock and draws nothing: ranks that see equal windows propose equal settings. So all ranks of a job
// may run one each, on windows that were reduced over all ranks ([Window.Join]), and need not exchange decisions.
package tune
