package worlds

import "time"

// shrinkFor is the maximum time for shrinking a world.
const shrinkFor = 20 * time.Second

// Shrink shrinks a failing world while it still fails, within a number of runs and 20 seconds. It returns the smallest
// world that fails, and its error.
func Shrink(w World, err error, runs int) (World, error) {
	end := time.Now().Add(shrinkFor)
	for again := true; again; {
		again = false
		for _, smaller := range smallerThan(w) {
			if runs == 0 || time.Now().After(end) {
				return w, err
			}
			runs--
			if _, e := smaller.Run(); e != nil && smaller.check() == nil {
				w, err, again = smaller, e, true
				break
			}
		}
	}
	return w, err
}

// least has the smallest values of parts, where these are not 0.
var least = map[string]int{
	"ranks": 1, "processes": 1, "per-host": 1, "coalesce": 1, "targets": 1, "keys": 1, "epochs": 1, "depth": 1,
}

// simplest has the names that parts are shrunk to.
var simplest = map[string]string{"topology": "direct", "detector": "skr"}

// smallerThan returns worlds with one smaller part each, the much smaller ones first.
func smallerThan(w World) (all []World) {
	for i, f := range w.fields() {
		switch at := f.at.(type) {
		case *int:
			for _, n := range lower(*at, least[f.name]) {
				all = append(all, with(w, i, n))
			}
		case *string:
			if *at != "" && *at != simplest[f.name] {
				next := w
				*next.fields()[i].at.(*string) = simplest[f.name]
				all = append(all, next.repaired())
			}
		}
	}
	return all
}

func with(w World, part, n int) World {
	*w.fields()[part].at.(*int) = n
	return w.repaired()
}

// repaired returns a valid world after a part has become smaller.
func (w World) repaired() World {
	w.Processes = min(w.Processes, w.Ranks)
	w.Death, w.Freeze = min(w.Death, w.Processes), min(w.Freeze, w.Processes)
	w.Partition = min(w.Partition, w.Processes-1)
	if w.Posts > 0 {
		return w
	}
	if !w.holds(w.Detector) {
		w.Detector = "skr"
	}
	for _, name := range w.ends() {
		if !w.holds(name) || w.Tune&1 != 0 {
			w.Ends = ""
		}
	}
	return w
}

// lower returns numbers smaller than n: the least, half, one less.
func lower(n, least int) (all []int) {
	for _, m := range []int{least, (n + least) / 2, n - 1} {
		if m >= least && m < n && (len(all) == 0 || all[len(all)-1] < m) {
			all = append(all, m)
		}
	}
	return all
}
