package message

const maxFacts = 6

// Facts in the order of a message. Of each list, only the first known fact is shown.
var (
	jobFacts  = [][]label{{causeFact}, {memoryFact, timeFact}, {attemptsFact}, {waitedRanFact, ranFact, waitedFact}, {gpusFact, nodesFact}, {queueFact}, {ownerFact}}
	waitFacts = [][]label{{quotaFact}, {placeFact}, {beforeFact}, {likeFact}}
)

// facts returns the facts of a notice about a job.
func (s *speaker) facts() []Fact {
	if s.n.Kind == WaitsLong {
		if found := s.pick(waitFacts); len(found) > 0 {
			return found
		}
	}
	return s.pick(jobFacts)
}

func (s *speaker) pick(order [][]label) (found []Fact) {
	for _, alternatives := range order {
		for _, l := range alternatives {
			if l == causeFact && !s.ended() {
				continue
			}
			value := s.say(s.words.facts[l])
			if value == "" {
				continue
			}
			fact := Fact{Label: s.words.labels[l], Value: value}
			if p, ok := s.words.notes[l]; ok && (l != causeFact || !s.explained()) {
				fact.Note = s.say(p)
			}
			found = append(found, fact)
			break
		}
	}
	return found[:min(len(found), maxFacts)]
}

// ended reports whether the notice has a cause to show.
func (s *speaker) ended() bool {
	return s.n.Kind == Failed || s.n.Kind == Restarted || s.n.Kind == Aborted
}

// explained reports whether the sentence contains the cause.
func (s *speaker) explained() bool {
	_, ok := s.words.causes[s.n.Cause.Reason]
	return ok && s.n.Cause.Reason != ""
}
