// Package plots draws results as SVG files.
package plots

import (
	"path/filepath"

	"github.com/activepebbles/pebbles/internal/plots"
	"github.com/activepebbles/pebbles/lab"
)

// Write draws each group of the results into a folder, which it makes if necessary, and returns the files by group's
// name: see [plots.Write].
func Write(folder string, r lab.Results) (files map[string][]string, err error) {
	groups := make([]plots.Group, len(r.Groups))
	for i, g := range r.Groups {
		groups[i] = plots.Group{Name: g.Name, Heading: g.Heading(), About: g.About}
		for _, one := range g.Results {
			s := one.Summary()
			p := &plots.Result{Name: one.Name, Unit: one.Unit, Lower: one.Lower, Limit: one.Limit(),
				Median: s.Median, Min: s.Min, Max: s.Max}
			if one.Point != nil {
				p.Point = &plots.Point{Curve: one.Point.Curve, Axis: one.Point.Axis, At: one.Point.At}
			}
			groups[i].Results = append(groups[i].Results, p)
		}
	}
	return plots.Write(folder, groups...)
}

// ForPage draws into a folder, like Write, and returns the files as links from a page.
func ForPage(page, folder string, r lab.Results) (links map[string][]string, err error) {
	if links, err = Write(folder, r); err != nil {
		return nil, err
	}
	from, err := filepath.Abs(filepath.Dir(page))
	if err != nil {
		return nil, err
	}
	for _, files := range links {
		for i, file := range files {
			if file, err = filepath.Abs(file); err != nil {
				return nil, err
			}
			if file, err = filepath.Rel(from, file); err != nil {
				return nil, err
			}
			files[i] = filepath.ToSlash(file)
		}
	}
	return links, nil
}

// Beside draws into the folder plots beside a page, or a folder in it, and returns the files as links from the page.
func Beside(page, folder string, r lab.Results) (links map[string][]string, err error) {
	return ForPage(page, filepath.Join(filepath.Dir(page), "plots", folder), r)
}
