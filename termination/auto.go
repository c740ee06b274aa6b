package termination

import "math"

// Auto takes, of the detectors that hold at the site, the one that costs the rank that sends most the fewest messages,
// as [Messages] has them: SKR where the depth is not known, as a rule Ordered on a staged topology of few links, and
// NBX where chains are short. Of those that cost as much, the first of nbx, skr, ordered, pcx and pcx-neighbors: a
// verdict about the whole job is better than one about a rank, and an exact cost better than a lower bound. All ranks
// take the same. The detector's name says which one it is.
func Auto(s Site) (Detector, error) {
	k, _, err := best(s)
	if err != nil {
		return nil, err
	}
	return k.make(s)
}

// best finds the detector that Auto takes, and its messages.
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
