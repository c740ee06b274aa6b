package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() { lab.Main(command) }

var command = lab.Program{Name: "papers", Flags: "small only out page", Parts: true, Run: papers}

// papers draws the selected figures.
func papers(ctx context.Context, s *lab.Session) error {
	results, err := kept(s.Out)
	if err != nil {
		return err
	}
	only, drawn := regexp.MustCompile(s.Only), 0 // already checked
	l := &simulator{
		ctx: ctx, log: s.Stderr, small: s.Small,
		known: map[string]outcome{}, paged: map[string]treadmarks.Result{},
	}
	for _, f := range figures() {
		if !only.MatchString(f.name) {
			continue
		}
		drawn++
		began := time.Now()
		d, err := f.drawn(l)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Fprintf(s.Stderr, "%s: %.1f s\n", f.name, time.Since(began).Seconds())
		if err := publish(s, f, d, &results); err != nil {
			return err
		}
	}
	if drawn == 0 {
		return lab.UsageError{Err: fmt.Errorf("-only %q matches no figure", s.Only)}
	}
	return nil
}

// kept returns the results of earlier calls; each call draws some figures.
func kept(file string) (lab.Results, error) {
	r := lab.NewResults("make -C lab papers")
	if file == "" {
		return r, nil
	}
	old, err := lab.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	r.Groups = old.Groups
	return r, err
}

// publish writes a figure's section of the page, its results and its picture.
func publish(s *lab.Session, f figure, d drawing, results *lab.Results) error {
	text := d.text()
	if len(d.curves) > 0 {
		g := f.group(d)
		results.Put(g)
		if s.Out != "" {
			if err := results.Write(s.Out); err != nil {
				return err
			}
		}
		if s.Page != "" {
			links, err := plots.Beside(s.Page, "", lab.Results{Groups: []lab.GroupResult{g}})
			if err != nil {
				return err
			}
			text += g.Images(links)
		}
	}
	fmt.Fprintf(s.Stdout, "%s\n\n", f.name)
	return s.Publish(f.name, text)
}
