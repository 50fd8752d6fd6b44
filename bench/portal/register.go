package portal

import "github.com/vedette-io/vedette/bench/contest"

// Register makes the actions of portals those of contests.
func Register() {
	contest.Actions[contest.Portal], contest.Actions[contest.Streams] = Answers, Streams
}
