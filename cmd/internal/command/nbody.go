package command

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody"
	"github.com/activepebbles/pebbles/apps/nbody/initial"
	"github.com/activepebbles/pebbles/apps/nbody/tipsy"
)

// nbodyFlags are the flags of only pebbles nbody.
type nbodyFlags struct {
	config    nbody.Config
	particles int
	model     Word
	depth     float64 // of King's model
	softening float64
	walk      Word
	tipsy     string // file
	output    string // file
}

// The generated systems.
const (
	modelPlummer   = "plummer"
	modelKing      = "king"
	modelCollision = "collision"
)

func newNBody(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "nbody",
		Short: "Simulate gravitating particles by a distributed tree code",
		Long: "nbody is ChaNGa's gravity: Barnes and Hut's tree with moments up to hexadecapoles, spline softening,\n" +
			"and leapfrog steps, global ones or each particle's own. Walks that need a cell of another process\n" +
			"ask for it by 16 bytes; answers are kept in a cache of the process. Positions, velocities and\n" +
			"numbers of interactions are the same, bit by bit, on any number of ranks. Forces on a sample are\n" +
			"compared with direct sums, and small simulations, and others with --twin, with the serial twin.",
		Example: "  pebbles nbody\n" +
			"  pebbles nbody --particles 100000 --model king --steps 10 --procs 2\n" +
			"  pebbles nbody --model collision --steps 200 --step 0.05 --rungs 6\n" +
			"  pebbles nbody --tipsy king_soft.bin --steps 10 --step 0.1 --rungs 10 --output later.bin --json",
	}
	b := &nbodyFlags{}
	b.register(c)
	appCommand(t, c, byFiles(&b.config, "steps", b.check, b.open, nbody.Run, b.files))
	return unused(c, "nothing can be merged", "cache")
}

func (b *nbodyFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.Var(Count(&b.particles, 1, "10000"), "particles", "particles of a generated system")
	Words(c, &b.model, "model", modelPlummer, []string{modelPlummer, modelKing, modelCollision},
		"model of the generated system")
	f.Float64Var(&b.depth, "w0", 6, "central potential W0 of King's model")
	f.Float64Var(&b.softening, "softening", 0, "softening length of a generated system (default by its density)")
	f.StringVar(&b.tipsy, "tipsy", "", "`file` of particles in TIPSY standard format, instead of a generated system")
	b.config.Steps = 10
	f.Var(Count(&b.config.Steps, 0, "none"), "steps", "number of steps")
	f.Float64Var(&b.config.Step, "step", 0.01, "time step")
	f.Float64Var(&b.config.Theta, "theta", 0.7, "opening angle; smaller is more exact")
	f.Var(Count(&b.config.Order, 1, "4"), "order", "multipole order: 1 is monopoles, 4 hexadecapoles")
	f.Var(Count(&b.config.Bucket, 1, "16"), "bucket", "maximum number of particles per leaf")
	f.Var(Count(&b.config.Rungs, 0, "never"), "rungs", "times that the step of a particle may be halved")
	f.Float64Var(&b.config.Eta, "eta", 0.2, "accuracy of individual steps, in sqrt(softening / acceleration)")
	Words(c, &b.walk, "walk", string(nbody.Asks), names(nbody.Walks), "remote cells are fetched by")
	b.config.Sample = 100
	f.Var(Count(&b.config.Sample, 0, "none"), "sample", "particles whose forces are checked against direct sums")
	f.BoolVar(&b.config.Twin, "twin", false, "compare with the serial twin at any size")
	f.StringVar(&b.output, "output", "",
		"write the final particles to this `file`: .csv, .tsv, .jsonl, .avro, .parquet, or TIPSY")
	f.BoolVar(&b.config.Output.Replace, "replace", false, "replace the output if it exists")
}

// check translates the flags. given reports whether one is on the command line.
func (b *nbodyFlags) check(s *settings, given givenFlags) (reads bool, err error) {
	c := &b.config
	c.Seed, c.Walk, c.List = s.Seed, nbody.By(b.walk.Text), b.output != ""
	if c.Sample == 0 {
		c.Sample = -1
	}
	for name, x := range map[string]float64{"step": c.Step, "theta": c.Theta, "eta": c.Eta} {
		if !(x > 0) || math.IsInf(x, 1) {
			return false, fmt.Errorf("--%s %v: give a number above 0", name, x)
		}
	}
	for _, name := range []string{"particles", "model", "w0", "softening"} {
		if given(name) && b.tipsy != "" {
			return false, fmt.Errorf("--%s is for a system that is made: leave it out with --tipsy", name)
		}
	}
	switch {
	case given("softening") && !(b.softening > 0):
		return false, fmt.Errorf("--softening %v: give a length above 0, or leave it out", b.softening)
	case given("w0") && b.model.Text != modelKing:
		return false, errors.New("--w0 is for King's model: add --model king, or leave it out")
	case c.Output.Replace && b.output == "":
		return false, errors.New("--replace is for a file that is written: add --output, or leave it out")
	case given("eta") && c.Rungs == 0:
		return false, errors.New("--eta is for particles' own steps: add --rungs, or leave it out")
	}
	return b.tipsy != "", nil
}

// open generates the particles, or opens their file, which stays open.
func (b *nbodyFlags) open(ranks int) (err error) {
	if b.config.Source, err = b.source(); err != nil {
		return err
	}
	return b.config.Check(ranks)
}

func (b *nbodyFlags) source() (nbody.Source, error) {
	if b.tipsy != "" {
		f, err := os.Open(b.tipsy)
		if err != nil {
			return nil, err
		}
		about, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		particles, err := tipsy.Open(b.tipsy, f, about.Size())
		if err != nil {
			f.Close()
			return nil, err
		}
		return particles, nil
	}
	c := initial.Config{Particles: b.particles, Seed: b.config.Seed, Soft: b.softening}
	if c.Particles == 0 {
		c.Particles = 10_000
	}
	switch b.model.Text {
	case modelKing:
		return initial.King(c, b.depth)
	case modelCollision:
		return initial.Collision(c)
	}
	return initial.Plummer(c)
}

// files returns the files that the flags name.
func (b *nbodyFlags) files(r *nbody.Result) []resultFile {
	if b.output == "" {
		return nil
	}
	return []resultFile{{b.output, func(w io.Writer) error {
		if (apps.Output{Path: b.output}).Check() == nil {
			return apps.WriteTable(w, b.output, r.Columns()...)
		}
		return tipsy.Write(w, b.config.Source.Time()+float64(r.Steps)*r.Step, r.End, r.Potentials)
	}}}
}
