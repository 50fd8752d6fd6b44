package portal

import "github.com/vedette-io/vedette/bench/contest"

// Register adds the actions of this package to those of package contest.
func Register() {
	contest.Actions[contest.Portal], contest.Actions[contest.Streams] = Answers, Streams
}
