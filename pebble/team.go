package pebble

import "github.com/activepebbles/pebbles/internal/engine"

// Team is a subset of a job's ranks with targets, epochs, collectives, arrays and containers of its own: [Rank.Split]
// makes it. Its Rank is this rank's part in the team, for everything that takes a rank: target.New(team.Rank, ...),
// memory.New(team.Rank), container.NewMap(team.Rank, ...). There ID and Size are those of the team, distributions and
// topologies are over its ranks, Counters are of its work, and InCommon is for its ranks of a process; Place counts
// ranks that follow each other in the team and share a process as those of a process. The settings of the job hold,
// and are not tuned.
//
// Epochs of teams without a common rank run independently. A rank is in an epoch or collective of one team at a time,
// the whole job among them. Ranks that are members of several teams call those in one order, as they call collectives;
// a job in which they do not stands still, and the report of that names the teams.
//
// A team costs each member some kilobytes, and a lookup for each frame. Programs without teams pay nothing.
type Team struct{ *Rank }

// NoTeam is the color of a rank that joins no team.
const NoTeam = engine.NoTeam

// Split makes teams of the ranks that give the same color, which is 0 or above, or NoTeam. Ranks are numbered by key,
// those with equal keys as before. It is a collective of the ranks that it splits: a job's, or a team's. A rank that
// gives NoTeam gets a team as well, of which it is no [Team.Member].
//
// Errors, reports and records name the team by its name, which is the color in default of one, behind the name of the
// team that was split and a slash. All ranks of a team give the same. It costs ⌈log2 P⌉ messages a rank, in as many
// rounds, with 20 bytes and the name of each rank.
func (r *Rank) Split(color, key int, name ...string) (*Team, error) {
	if len(name) > 1 {
		r.engine.Misuse("pebble", "Split with %d names: give one", len(name))
	}
	part, err := r.engine.Split(color, key, append(name, "")[0])
	if err != nil {
		return nil, err
	}
	c := *r.config
	c.Ranks = part.Size()
	return &Team{&Rank{engine: part, config: &c}}, nil
}

// Member reports whether this rank is a member. If not, other calls of the team panic, which ends the job.
func (t *Team) Member() bool { return t.engine.Member() }

// Name is the name of the team.
func (t *Team) Name() string { return t.engine.Team() }

// InJob is the number that a rank of the team has in the job.
func (t *Team) InJob(rank int) int { return t.engine.InJob(rank) }

// Free ends the team and everything that was registered with it: a collective of its members, between epochs. Arrays
// and objects are to be freed before. Later calls of the team panic. When the job has failed, it does nothing, so that
// it may be deferred.
func (t *Team) Free() error { return t.engine.End() }
