// Package tune finds the setting that a job runs fastest with while the job runs: topology, coalescing factor and
// reduction cache (TRAM, section V.E, where a control system finds a buffer size within 5 decisions and a topology
// within 25).
//
// A job asks the tuner for the setting of the next window, which is some epochs or a whole run. After the window it
// reports the work of all ranks and the time.
//
// A [Tuner] is a hill climber. It tries what the model predicts to be best (see package model), and then changes one
// thing at a time: the factor by steps, the cache, the topology. Windows of the setting in force alternate with those
// of the setting that is tried, so that a drift of the machine or the load affects both. A change must gain more than
// the noise of the windows, which is measured. When nothing is left to try, the setting that the search began with is
// tried once more in the same way: the tuner returns to it unless it is slower. What experiments may cost is accounted
// for in seconds. A settled tuner only watches, and searches again when the load has changed for good.
//
// A tuner has no clock and draws no random numbers: ranks that see equal windows propose equal settings.
package tune
