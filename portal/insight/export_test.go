package insight

import (
	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/portal/insight/likely"
	"github.com/vedette-io/vedette/portal/insight/words"
)

// Reasons reads a message of the scheduler.
func Reasons(message string) (fit, all int, reasons map[string]int, ok bool) {
	p, ok := readPlacement(message)
	reasons = map[string]int{}
	for _, r := range p.reasons {
		reasons[r.reason] += r.nodes
	}
	return p.fit, p.all, reasons, ok
}

// PlacementSentence returns the sentence about a message of the scheduler.
func PlacementSentence(message, language string) string {
	p, _ := readPlacement(message)
	return p.sentence(words.Of(language))
}

// Like returns how many jobs are like one of a size, and what they are.
func Like(all []likely.Wait, gpus int) (jobs int, what string) {
	of, size := like(all, gpus)
	return len(of), size.what(words.Of("en"), "gpu-h100")
}

// ReadAll reads a body as each of the objects that the package knows.
func ReadAll(body []byte) {
	o := jobspec.Parse(body)
	w := readWorkload(o)
	q := readClusterQueue(o)
	_ = quotaOf(q, w.needs, nil, words.Of("en"))
	_ = readLocalQueue(o)
	_ = readVolcanoQueue(o).quota(readPodGroup(o).needs, words.Of("en"))
	for _, e := range endingsOf(o) {
		_ = e.sentence(words.Of("zh"))
	}
}
