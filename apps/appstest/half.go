package appstest

import (
	"os"

	"github.com/activepebbles/pebbles/pebble"
)

// onTeams says that every shape is one of a team: with PEBBLES_TEAMS=1 in the environment, the suite of an application
// runs on a team of half of the ranks.
var onTeams = os.Getenv("PEBBLES_TEAMS") != ""

// half makes the function of a rank of a job half of whose ranks run f, as a team: every other one, in the opposite
// order.
func half(f func(r *pebble.Rank) error) func(r *pebble.Rank) error {
	return func(r *pebble.Rank) error {
		color := pebble.NoTeam
		if r.ID()%2 == 0 {
			color = 0
		}
		team, err := r.Split(color, -r.ID(), "half")
		if err != nil || !team.Member() {
			return err
		}
		if err := f(team.Rank); err != nil {
			return err // the others do not come to free the team
		}
		return team.Free()
	}
}
