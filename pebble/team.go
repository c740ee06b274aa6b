package pebble

import "github.com/activepebbles/pebbles/internal/engine"

// Team is a subset of a job's ranks with its own targets, epochs, collectives, arrays and containers: [Rank.Split]
// makes it. Its Rank is this rank's part in the team, for everything that takes a rank: target.New(team.Rank, ...),
// memory.New(team.Rank), container.NewMap(team.Rank, ...). There, ID and Size are those of the team, distributions and
// topologies cover its ranks, Counters count its work, and InCommon is for its ranks of a process. Place treats
// consecutive ranks of the team that share a process as a process. The settings of the job hold, and are not tuned.
//
// Epochs of teams without a common rank run independently. A rank is in an epoch or collective of one team at a time;
// the whole job counts as a team. Ranks that are members of several teams call those in the same order, as they call
// collectives; otherwise the job stands still, and the stall report names the teams.
//
// A team costs each member some kilobytes, and a lookup per frame. Programs without teams pay nothing.
type Team struct{ *Rank }

// NoTeam is the color of a rank that joins no team.
const NoTeam = engine.NoTeam

// Split makes teams of the ranks that give the same color: 0 or above, or NoTeam. Members are numbered by key; members
// with equal keys keep their order. Split is a collective of the ranks that it splits: of a job, or of a team. A rank
// that gives NoTeam gets a team too, but is not a [Team.Member].
//
// Errors, reports and records name the team by its name, which is the color in default of one, behind the name of the
// team that was split and a slash. All ranks of a team give the same. It costs an [AllGather]
// of 20 bytes and the name.
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

// Name returns the name of the team.
func (t *Team) Name() string { return t.engine.Team() }

// InJob returns the number in the job of a rank of the team.
func (t *Team) InJob(rank int) int { return t.engine.InJob(rank) }

// Free ends the team and everything that was registered with it. It is a collective of its members, between epochs.
// Free arrays and objects before. Later calls of the team panic. When the job has failed, it does nothing, so that it
// may be deferred.
func (t *Team) Free() error { return t.engine.End() }
