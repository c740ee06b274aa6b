package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/lab"
)

func newBenchCompare(t terminal) *cobra.Command {
	threshold := percent(0.05)
	ratios := false
	c := &cobra.Command{
		Use:   "compare OLD.json NEW.json",
		Short: "Tell what got faster or slower between two results",
		Long: "compare holds new results of pebbles bench against old ones. A row is slower when its speed is less " +
			"by more than the\n" +
			"threshold, and a U-test finds it significant. Checksums and counters that don't depend on timing must " +
			"be the same. The\n" +
			"exit status is 1 when a row is slower, has changed, is missing, or has too few samples to tell.",
		Example: "  pebbles bench compare old.json new.json\n" +
			"  pebbles bench compare --ratios --threshold 30% lab/results/baseline.json new.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%d files: give two, the old results and the new ones", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if t.begin != nil {
				return t.begin(nil)
			}
			o := lab.CompareOptions{Threshold: float64(threshold), Ratios: ratios}
			if err := compare(t, args[0], args[1], o); err != nil {
				return benchFailure(err)
			}
			return nil
		},
	}
	c.Flags().Var(&threshold, "threshold", "least change of speed that counts")
	c.Flags().BoolVar(&ratios, "ratios", false, "compare ratios to what rows are held against: for results of other "+
		"machines")
	return c
}

func compare(t terminal, before, after string, o lab.CompareOptions) error {
	was, err := lab.Read(before)
	if err != nil {
		return err
	}
	is, err := lab.Read(after)
	if err != nil {
		return err
	}
	c, err := lab.Compare(was, is, o)
	if err != nil {
		return err
	}
	if err := c.Table(t.stdout); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return c.Err()
}

// percent is a flag whose value is a part of a whole: 5%, or 5.
type percent float64

func (p *percent) Type() string   { return "percent" }
func (p *percent) String() string { return strconv.FormatFloat(100*float64(*p), 'g', 6, 64) + "%" }

func (p *percent) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n >= 100 {
		return fmt.Errorf("must be a percentage from 0%% to less than 100%%")
	}
	*p = percent(n / 100)
	return nil
}
