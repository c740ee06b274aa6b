package distgraph

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
)

// Starts are the vertices that a kernel starts from: those with these labels, in this order, or, without labels, Count
// different vertices with an arc to another vertex, drawn by the seed. A Count of 0 is Default.
type Starts struct {
	Name    string // the plural noun for messages and phases, such as "roots"
	Labels  Labels
	Count   int
	Default int
}

// Check returns an error of app with the reason if s is not valid.
func (s Starts) Check(app string) error {
	switch {
	case s.Count < 0:
		return fmt.Errorf("%s: %d %s: give a positive number", app, s.Count, s.Name)
	case s.Count > 0 && s.Labels.Len() > 0:
		return fmt.Errorf("%s: both %s and a number of %s to draw are given: give one of the two", app, s.Name, s.Name)
	}
	return nil
}

// Walk runs a kernel from some vertices of a graph in turn.
type Walk[K Kernel] struct {
	Source Source
	Starts Starts
	Phase  string                           // names the runs of the kernel for Common.Phase
	Rules  []string                         // as for Each
	Broken string                           // names the rules, such as "Graph500 rules"
	Make   func(g *Graph) (K, error)        // makes the kernel
	Resume func(k K, starts Labels) error   // goes on from a checkpoint; nil: there are none
	Add    func(k K, seconds float64) error // adds the run from one vertex to the report
	Sum    func(g *Graph, k K, n int) error // completes the report after n runs
}

// Run builds the graph, runs and times the kernel from each start, and checks each run. It completes the report and
// returns the labels of the starts. All ranks call it.
func (w Walk[K]) Run(p *Report, r *pebble.Rank, c apps.Common) (labels Labels, err error) {
	var k K
	var starts []uint64
	w.Source.Progress, w.Source.Phase = c.Progress, c.Phase
	g, err := p.load(r, w.Source, func(g *Graph) (err error) {
		if k, err = w.Make(g); err != nil {
			return err
		}
		labels, starts, err = g.Choose(w.Starts.Labels, cmp.Or(w.Starts.Count, w.Starts.Default), c.Seed)
		if err == nil && w.Resume != nil {
			err = w.Resume(k, labels)
		}
		return err
	})
	if err != nil {
		return Labels{}, err
	}
	w.Source.beginOn(r, w.Phase)
	breaches, err := p.Each(g, w.Source, starts, k, w.Rules, func(seconds float64) error { return w.Add(k, seconds) })
	if err != nil {
		return Labels{}, err
	}
	if err := w.Sum(g, k, len(starts)); err != nil {
		return Labels{}, err
	}
	if err := p.Found(r, breaches, "breaches of the "+w.Broken); err != nil {
		return Labels{}, err
	}
	return labels, p.Finish(r, k.Tally())
}

// Searches are the results of searches from some roots that bfs and sssp have in common.
type Searches struct {
	Roots            Labels  `json:"roots"`
	HarmonicMeanTEPS float64 `json:"harmonic_mean_teps"`
	// AllEdgesPerSecond is a harmonic mean too. Each search counts all edges of the graph, reached or not, as in the
	// GAP benchmark suite.
	AllEdgesPerSecond float64 `json:"harmonic_mean_all_edges_per_second"`

	// One entry for each root.
	Reached []uint64  `json:"reached"`
	TEPS    []float64 `json:"teps"` // traversed edges a second, by the Graph500 rule
}

// Add adds one search and the numbers of vertices reached and of edges traversed.
func (s *Searches) Add(reached, traversed uint64, seconds float64) {
	s.Reached = append(s.Reached, reached)
	s.TEPS = append(s.TEPS, apps.Rate(float64(traversed), seconds))
}

// Rate sets the rates from the report of n searches.
func (s *Searches) Rate(p Report, n int) {
	s.HarmonicMeanTEPS = apps.HarmonicMean(s.TEPS)
	s.AllEdgesPerSecond = apps.Rate(float64(p.Edges)*float64(n), p.Seconds)
}

// RateRows returns labels and values of the rates for display.
func (s Searches) RateRows() [][2]string {
	return [][2]string{
		{"traversed edges a second", fmt.Sprintf("%.4g (harmonic mean)", s.HarmonicMeanTEPS)},
		{"all edges a second", fmt.Sprintf("%.4g (harmonic mean; edges out of reach count too)", s.AllEdgesPerSecond)},
	}
}
