package listing

import "github.com/vedette-io/vedette/job"

// StateOrder is the order in which states are printed. The last one is that of objects without a
// state.
var StateOrder = func() (words []string) {
	for _, s := range job.States() {
		words = append(words, string(s))
	}
	return append(words, "")
}()
