package command

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/tune"
)

// tuning returns the tuner's configuration, or nil if no flag is auto. The job begins with the profile's setting.
// Without a profile it begins with the setting that the model predicts to be best, if pebbles-lab fit has measured this
// machine.
func (s *settings) tuning(log *slog.Logger) *pebble.Tuning {
	auto := s.autos()
	if auto == (autos{}) {
		return nil
	}
	return &pebble.Tuning{
		Topology: auto.Topology, Coalesce: auto.Coalesce, Cache: auto.Cache,
		New: func(site tune.Site) (pebble.Tuner, error) {
			site.Known = s.knows(site.Start)
			t, err := tune.Auto(site, s.machine(site, log))
			if err == nil {
				log.Info("tuning begins", "setting", t.Setting().String())
			}
			return t, err
		},
	}
}

// machine returns the model's parameters for this machine, or nil.
func (s *settings) machine(site tune.Site, log *slog.Logger) *model.Parameters {
	p, _, err := ParametersOf(s.parameters)
	if err != nil {
		log.Info("tuning without a model", "why", err)
		return nil
	}
	if site.Transport == connect.ByTCP {
		p = p.Over(model.Network)
	}
	return &p
}

// profilePlace returns the file of an application's profile, beside the parameters of the machine.
func profilePlace(app string) (string, error) {
	place, err := machine.ParametersFile()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(place), "profile-"+app+".json"), nil
}

// profiled returns the identity of a command line's profile: the application with the flags that define its work, the
// machine, and the transport.
func profiled(c *cobra.Command, s *settings) tune.For {
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	other := &cobra.Command{}
	(&settings{}).register(other)
	shared.AddFlagSet(other.Flags())
	app := []string{c.Name()}
	c.Flags().Visit(func(f *pflag.Flag) {
		if c.InheritedFlags().Lookup(f.Name) != nil {
			return // flags of pebbles sim
		}
		if shared.Lookup(f.Name) == nil || f.Name == "seed" {
			app = append(app, fmt.Sprintf("--%s=%s", f.Name, f.Value))
		}
	})
	transport := s.transport
	if !s.spread.Several() && !launch.Started(s.spread.Alone) {
		transport = "mem"
	}
	return tune.For{
		App: strings.Join(app, " "), Ranks: s.ranks(), Processes: s.spread.count(), Transport: transport,
		Machine: machine.This().String(),
	}
}

// recall loads the profile that pebbles tune saved for exactly this job, if one exists and a flag is auto.
func (s *settings) recall(c *cobra.Command) {
	if s.autos() == (autos{}) {
		return
	}
	place, err := profilePlace(c.Name())
	if err != nil {
		return
	}
	text, err := values.Text(place)
	if err != nil {
		return
	}
	if p, err := tune.DecodeProfile(text); err == nil && p.Fits(profiled(c, s)) == nil && s.can(p.Setting.Topology) {
		s.known = &p.Setting
	}
}

// can reports whether package route has a topology.
func (s *settings) can(topology string) bool {
	_, err := route.ByName(topology)
	return err == nil
}

// load applies the profile's setting where no flag is given.
func (s *settings) load(c *cobra.Command) error {
	if s.profile == "" {
		return nil
	}
	text, err := values.Text(s.profile)
	if err != nil {
		return fmt.Errorf("--profile: %w: make one with pebbles tune", err)
	}
	p, err := tune.DecodeProfile(text)
	if err == nil {
		err = p.Fits(profiled(c, s))
	}
	if err == nil {
		_, err = route.ByName(p.Setting.Topology)
	}
	if err != nil {
		return fmt.Errorf("--profile %s: %s", s.profile, strings.TrimPrefix(err.Error(), "tune: "))
	}
	s.known = &p.Setting // where flags are auto
	for name, value := range map[string]any{"topology": p.Setting.Topology, "coalesce": p.Setting.Coalesce,
		"cache": p.Setting.Cache} {
		if f := c.Flags().Lookup(name); !f.Changed && f.DefValue != fmt.Sprint(value) {
			if err := c.Flags().Set(name, fmt.Sprint(value)); err != nil { // as if it were on the command line
				return fmt.Errorf("--profile %s: %w", s.profile, err)
			}
		}
	}
	return nil
}
