package tune

// ledger accounts for what tuning costs and gains against the setting that the job began with, in seconds.
type ledger struct {
	share   float64
	elapsed float64
	balance float64 // gained by better settings, less what was lost in experiments and between windows
	gain    float64 // how many times as fast as the start the setting in force is
}

// inForce books a window of the setting in force.
func (l *ledger) inForce(seconds float64) {
	l.elapsed += seconds
	l.balance += seconds * (l.gain - 1)
}

// tried books a window of another setting, by how many times as fast as the one in force it was.
func (l *ledger) tried(seconds, ratio float64) {
	l.elapsed += seconds
	l.balance += seconds * (ratio*l.gain - 1)
}

// lost books time in which nothing was done.
func (l *ledger) lost(seconds float64) {
	l.elapsed += seconds
	l.balance -= seconds
}

// room is how many seconds may be lost now. The start would have taken the time that has passed and the balance.
func (l *ledger) room() float64 { return l.share*(l.elapsed+l.balance) + l.balance }
