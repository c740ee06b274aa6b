package command

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/contagion"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/plots"
)

// contagionFlags are the flags of only pebbles contagion.
type contagionFlags struct {
	config        contagion.Config
	population    string // folder, or prefix of its files' names
	contacts      string // file
	people        int
	locations     int
	visits        float64
	tiles, blocks int
	disease       string
	interventions string
	contact       Word
	send          Word
	spread        Word
	curves        []string // files
	infections    string   // file
}

// The ways to spread people and locations over the ranks.
const (
	spreadBlocks  = "blocks"  // of neighbours by number
	spreadHilbert = "hilbert" // of neighbours on the map
	spreadCyclic  = "cyclic"  // round-robin, regardless of distance
)

func newContagion(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "contagion",
		Short: "Simulate an epidemic in a population whose people meet at locations",
		Long: "contagion is EpiSimdemics: each day, persons send visits to locations, which find all meetings and\n" +
			"their durations, and send exposures back. Populations and disease models are those of Loimos, its\n" +
			"open successor; without --population a town is generated. The result is the same, bit by bit, on\n" +
			"any number of ranks; small simulations, and others with --twin, are compared with the serial twin.\n\n" +
			"With --loimos random numbers are those of Loimos, and so is the epidemic, to the last person: a\n" +
			"town then has blocks of people in tiles of a square of locations. --send manual has a buffer for\n" +
			"each pair of ranks, --coalesce 1 a message per visit; they show the gain by aggregation.",
		Example: "  pebbles contagion\n" +
			"  pebbles contagion --people 1000000 --days 60 --procs 2 --curve curve.csv --curve curve.svg\n" +
			"  pebbles contagion --population small_city_ --disease covid19.textproto\n" +
			"  pebbles contagion --loimos --disease covid19_onepath.textproto --seed 0 --json\n" +
			"  pebbles contagion --contacts primaryschool.csv.gz --contact certain --infections tree.csv",
	}
	b := &contagionFlags{}
	b.register(c)
	appCommand(t, c, byFiles(&b.config, "days", b.check, b.read, contagion.Run, b.files))
	return c
}

func (b *contagionFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&b.population, "population", "",
		"`folder` of a population, or prefix of its files")
	f.StringVar(&b.contacts, "contacts", "",
		"`file` of SocioPatterns contacts, instead of a population")
	f.Var(Count(&b.people, 1, "10000"), "people", "people of a generated town")
	f.Var(Count(&b.locations, 1, "a quarter of the people"), "locations", "locations of a generated town")
	f.Float64Var(&b.visits, "visits-per-day", 5, "mean number of visits per person and day")
	f.StringVar(&b.disease, "disease", "", "`file` of the disease model (default an example)")
	f.StringVar(&b.interventions, "interventions", "", "`file` of interventions")
	f.Var(Count(&b.config.Days, 1, "30"), "days", "days to simulate")
	Words(c, &b.contact, "contact", string(contagion.Constant), names(contagion.Contacts),
		"contact model")
	b.config.PerDay, b.config.SeedDays = 2, 10
	f.Var(Count(&b.config.PerDay, 0, "none"), "outbreak", "initial infections per day")
	f.Var(Count(&b.config.SeedDays, 1, ""), "outbreak-days", "days with initial infections")
	f.BoolVar(&b.config.Loimos, "loimos", false, "use the random numbers of Loimos")
	f.Var(Count(&b.tiles, 1, "5"), "tiles", "tiles per side of Loimos's square of locations")
	f.Var(Count(&b.blocks, 1, "32"), "blocks", "blocks of people, with --loimos")
	Words(c, &b.send, "send", string(contagion.Aggregated), names(contagion.Sends), "aggregation of visits")
	f.Var(Count(&b.config.Bundle, 1, "64"), "bundle", "visits per buffer, with --send manual")
	Words(c, &b.spread, "spread", spreadBlocks, []string{spreadBlocks, spreadHilbert, spreadCyclic},
		"distribution over ranks")
	f.BoolVar(&b.config.Meetings, "meetings", false, "count all meetings, also of healthy people")
	f.BoolVar(&b.config.Twin, "twin", false, "compare with the serial twin at any size")
	f.StringArrayVar(&b.curves, "curve", nil,
		"curve `file`: .csv, .tsv, .jsonl, .json, .avro, .parquet, .svg")
	f.StringVar(&b.infections, "infections", "",
		"transmission tree `file`: the same formats but .svg")
	f.BoolVar(&b.config.Output.Replace, "replace", false, "replace these files if they exist")
}

// check translates the flags. given reports whether one is on the command line.
func (b *contagionFlags) check(s *settings, given givenFlags) (reads bool, err error) {
	c := &b.config
	c.Seed, c.Contact, c.Send = s.Seed, contagion.Contact(b.contact.Text), contagion.Send(b.send.Text)
	c.List = b.infections != ""
	if c.PerDay == 0 {
		c.PerDay = -1
	}
	return b.population+b.contacts+b.disease+b.interventions != "", b.agree(given)
}

// read reads the files that the flags name, and generates the rest.
func (b *contagionFlags) read(ranks int) (err error) {
	c := &b.config
	if c.Population, err = b.source(c.Seed); err != nil {
		return err
	}
	if c.Disease = scenario.Example(); b.disease != "" {
		if c.Disease, err = read(b.disease, scenario.ReadDisease); err != nil {
			return err
		}
	}
	if b.interventions != "" {
		if c.Interventions, err = read(b.interventions, scenario.ReadInterventions); err != nil {
			return err
		}
	}
	switch b.spread.Text {
	case spreadHilbert:
		if c.People, c.Locations, err = population.Curve(c.Population, ranks); err != nil {
			return err
		}
	case spreadCyclic:
		c.People = distribution.Cyclic(uint64(c.Population.People()), ranks)
		c.Locations = distribution.Cyclic(uint64(c.Population.Locations()), ranks)
	}
	return c.Check(ranks)
}

// agree refuses flags without effect.
func (b *contagionFlags) agree(given givenFlags) error {
	if b.population != "" && b.contacts != "" {
		return errors.New("--population and --contacts name two populations: give one")
	}
	for _, name := range []string{"people", "locations", "visits-per-day", "tiles", "blocks"} {
		if given(name) && (b.population != "" || b.contacts != "") {
			return fmt.Errorf("--%s is for a town that is made: leave it out with --population and --contacts", name)
		}
	}
	for _, name := range []string{"tiles", "blocks"} {
		if given(name) && !b.config.Loimos {
			return fmt.Errorf("--%s is for a town as Loimos makes it: add --loimos, or leave it out", name)
		}
	}
	if given("bundle") && b.config.Send != contagion.Manual {
		return errors.New("--bundle is for buffers by hand: add --send manual, or leave it out")
	}
	if !(b.visits > 0) || math.IsInf(b.visits, 1) {
		return fmt.Errorf("--visits-per-day %v: give a number above 0", b.visits)
	}
	for _, file := range b.curves {
		if formatOf(file) == "svg" {
			continue
		}
		if contagion.CheckFile(file) != nil {
			return fmt.Errorf("--curve %s: end its name in %s or .svg", file, curveFormats)
		}
	}
	if b.config.Output.Replace && len(b.curves) == 0 && b.infections == "" {
		return errors.New("--replace is for files that are written: add --curve or --infections, or leave it out")
	}
	if b.infections != "" && contagion.CheckFile(b.infections) != nil {
		return fmt.Errorf("--infections %s: end its name in %s", b.infections, curveFormats)
	}
	return nil
}

// curveFormats are the extensions of contagion.CheckFile; text formats may be compressed.
const curveFormats = ".csv, .json, .tsv, .jsonl, .avro, .parquet"

// source reads the population, or generates one.
func (b *contagionFlags) source(seed uint64) (population.Population, error) {
	switch {
	case b.population != "":
		folder, prefix := filepath.Split(b.population)
		if at, err := os.Stat(b.population); err == nil && at.IsDir() {
			folder, prefix = b.population, ""
		}
		return population.Read(os.DirFS(filepath.Clean(folder)), prefix, 0)
	case b.contacts != "":
		return readContacts(b.contacts)
	case b.config.Loimos:
		return b.grid(seed)
	}
	return population.NewTown(population.TownConfig{People: b.people, Locations: b.locations, VisitsPerDay: b.visits,
		Seed: seed})
}

// grid returns a town like Loimos's. Its defaults are those of the run whose curve Loimos's own tests require.
func (b *contagionFlags) grid(seed uint64) (population.Population, error) {
	or := func(n, standard int) int {
		if n == 0 {
			return standard
		}
		return n
	}
	locations := or(b.locations, 2500)
	side := int(math.Round(math.Sqrt(float64(locations))))
	if side*side != locations {
		return nil, fmt.Errorf("--locations %d: Loimos's are a square: give a number such as %d", locations, side*side)
	}
	tiles := or(b.tiles, 5)
	return population.NewGrid(population.GridConfig{
		People: or(b.people, 10_000), Width: side, Height: side, TilesX: tiles, TilesY: tiles, Blocks: or(b.blocks,
			32), VisitsPerDay: b.visits,
		Seed: seed,
	})
}

// read reads a text file with a parse function.
func read[V any](file string, as func(text []byte) (V, error)) (v V, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return v, err
	}
	if v, err = as(text); err != nil {
		return v, fmt.Errorf("%s: %w", file, err)
	}
	return v, nil
}

// readContacts reads contacts, plain or gzip.
func readContacts(file string) (population.Population, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		text = z
	}
	return population.ReadContacts(text, filepath.Base(file))
}

// files returns the files that the flags name.
func (b *contagionFlags) files(r *contagion.Result) (all []resultFile) {
	for _, file := range b.curves {
		all = append(all, resultFile{file, func(w io.Writer) error {
			if formatOf(file) == "svg" {
				return drawCurve(w, r)
			}
			return contagion.WriteCurve(w, file, r.Curve)
		}})
	}
	if b.infections != "" {
		all = append(all, resultFile{b.infections, func(w io.Writer) error {
			return contagion.WriteInfections(w, b.infections, r.Infections)
		}})
	}
	return all
}

// drawCurve draws the number of people in each state, by day.
func drawCurve(w io.Writer, r *contagion.Result) error {
	g := plots.Group{Heading: r.Population}
	for _, row := range r.Curve {
		n := float64(row.Total)
		g.Results = append(g.Results, &plots.Result{Unit: "people", Median: n, Min: n, Max: n,
			Point: &plots.Point{Curve: row.State, Axis: "day", At: float64(row.Day)}})
	}
	_, err := w.Write(plots.Draw(g))
	return err
}
