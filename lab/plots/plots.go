// Package plots draws results as SVG files that look the same with any font: a text is placed by its anchor, has room
// for wide letters, and asks for any sans serif.
package plots

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
)

// Write draws each group of the results into a folder, which is made if need be, and returns the files by group's name.
// A group of several units gets a file for each. A group whose results all have a [lab.Point] is drawn as curves,
// others as bars, of medians, with lines from the lowest to the highest sample; limits are grey. Where figures differ
// by much, their axis is logarithmic.
func Write(folder string, r lab.Results) (files map[string][]string, err error) {
	files = map[string][]string{}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	for _, g := range r.Groups {
		for _, part := range byUnit(g) {
			file := filepath.Join(folder, part.file())
			if err := machine.WriteFile(file, part.draw()); err != nil {
				return nil, fmt.Errorf("plots: %w", err)
			}
			files[g.Name] = append(files[g.Name], file)
		}
	}
	return files, nil
}

// ForPage draws into a folder, as Write does, and returns the files as links from a page.
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

// Beside draws into the folder plots beside a page, or a folder in there, and returns the files as links from the page.
func Beside(page, folder string, r lab.Results) (links map[string][]string, err error) {
	return ForPage(page, filepath.Join(filepath.Dir(page), "plots", folder), r)
}

// chart has the results of a group in one unit.
type chart struct {
	group   lab.GroupResult // of this unit alone
	unit    string
	several bool // the group has other units too
}

func byUnit(g lab.GroupResult) (all []*chart) {
	of := map[string]*chart{}
	for _, r := range g.Results {
		c := of[r.Unit]
		if c == nil {
			c = &chart{group: g, unit: r.Unit}
			c.group.Results = nil
			of[r.Unit] = c
			all = append(all, c)
		}
		c.group.Results = append(c.group.Results, r)
	}
	for _, c := range all {
		c.several = len(all) > 1
	}
	return all
}

// file is the name of the chart's file: small letters and digits, with dashes between words.
func (c *chart) file() string {
	name := c.group.Name
	if c.several {
		name += " " + c.unit
	}
	name = strings.NewReplacer("/", " per ", "µ", "u").Replace(strings.ToLower(name))
	words := strings.FieldsFunc(name,
		func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) })
	return strings.Join(words, "-") + ".svg"
}

// draw is the whole picture: title, plot, legend and caption, one below the other.
func (c *chart) draw() []byte {
	p := &page{y: margin}
	p.paragraph(c.group.Heading(), titleSize)
	plot := c.bars
	if c.curved() {
		plot = c.curves
	}
	how := plot(p)
	p.paragraph(strings.TrimSpace(c.group.About+" "+how), textSize)
	return p.svg(c.group.Heading())
}

// curved reports whether the chart is one of curves.
func (c *chart) curved() bool {
	for _, r := range c.group.Results {
		if r.Point == nil {
			return false
		}
	}
	return true
}

// measure is what the axis of figures says.
func (c *chart) measure() string {
	if c.group.Results[0].Lower {
		return c.unit + ", less is better"
	}
	return c.unit
}
