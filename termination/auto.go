package termination

import "math"

// Auto selects, among the detectors that hold at the site, the one with the fewest messages of the rank that sends
// most, by [Messages]: SKR if the depth is unknown, usually Ordered on a staged topology of few links, and NBX for
// short chains. Among equal costs, the first of nbx, skr, ordered, pcx and pcx-neighbors wins: a verdict about the
// whole job is better than one about a rank, and an exact cost better than a lower bound. The choice is equal on all
// ranks. Its name is the detector's name.
func Auto(s Site) (Detector, error) {
	k, _, err := best(s)
	if err != nil {
		return nil, err
	}
	return k.make(s)
}

// best returns the choice of Auto, and its messages.
func best(s Site) (found kind, messages int, err error) {
	if err := s.check("auto"); err != nil {
		return kind{}, 0, err
	}
	messages = math.MaxInt
	for _, k := range kinds {
		if n, err := k.messages(s, messages); err == nil && n < messages {
			found, messages = k, n
		}
	}
	return found, messages, nil // SKR holds everywhere
}
