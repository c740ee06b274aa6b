package record

// launcherLine takes in a line of the launcher.
func (r *reading) launcherLine(kind string, says []byte) error {
	launched := func() *Launched {
		if r.record.Launched == nil {
			r.record.Launched = &Launched{}
		}
		return r.record.Launched
	}
	switch kind {
	case launchKind:
		return take(says, func(l *launchLine) {
			launched().Processes = l.Processes
			r.record.Job.Program, r.record.Job.ID = words(l.Program, valueMax), words(l.ID, valueMax)
			r.record.Job.Started = l.At
			r.ended(l.At)
		})
	case endedKind:
		return take(says, func(l *endedLine) {
			launched()
			r.ended(l.At)
			if len(r.record.Exits) < exitsMost {
				r.record.Exits = append(r.record.Exits, Exit{l.At, l.Process, words(l.How, causeMax), l.First})
			}
		})
	case endKind:
		return take(says, func(l *endLine) {
			launched().Closed, launched().How = true, words(l.How, causeMax)
			r.ended(l.At)
		})
	}
	return nil
}
