// Package tune finds the fastest setting of a job while the job runs: topology, coalescing factor and reduction cache
// (TRAM, section V.E, where a control system finds a buffer size within 5 decisions and a topology within 25).
//
// A job asks the tuner for the setting of the next window, which is some epochs or a whole run. After the window it
// reports the work of all ranks and the time.
//
// A [Tuner] is a hill climber. It tries the model's best setting (see package model), and then changes one parameter at
// a time: the factor by steps, the cache, the topology. Windows of the setting in force alternate with those of the
// setting under trial, so that a drift of the machine or the load affects both. A change must gain more than the
// measured noise of the windows. At the end of the search, the setting that it began with is tried once more in the
// same way: the tuner returns to it unless it is slower. The cost of experiments is accounted for in seconds. A settled
// tuner only watches, and searches again after a lasting change of the load.
//
// A tuner has no clock and draws no random numbers: ranks that see equal windows propose equal settings.
package tune
