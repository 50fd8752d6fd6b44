package insight

import (
	"time"

	"github.com/vedette-io/vedette/internal/jobspec"
)

// English and Chinese are the sentences by their keys.
var English, Chinese = english, chinese

// Say is speaker.say in a language.
func Say(language, key string, named ...string) string { return speakerOf(language).say(key, named...) }

// Nth is speaker.nth.
func Nth(language string, n int) string { return speakerOf(language).nth(n) }

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
	return p.sentence(speakerOf(language))
}

// Wait is a wait in a line.
type Wait struct {
	GPUs    int
	Began   time.Time
	Left    time.Time
	Started bool
}

func waitsOf(all []Wait) (waits []wait) {
	for _, w := range all {
		waits = append(waits, wait{w.GPUs, w.Began, w.Left, w.Started})
	}
	return waits
}

// Backtest returns the number of jobs that it tested, the share of predictions that held, and
// whether a likely start may be shown.
func Backtest(all []Wait, now time.Time) (tested int, held float64, shown bool) {
	v := backtest(waitsOf(all), now)
	return v.tested, v.held, v.holds()
}

// Predict is predict.
func Predict(all []Wait, at time.Time, waited time.Duration) (early, half, late time.Duration, ok bool) {
	f, ok := predict(waitsOf(all), at, waited)
	return f.early, f.half, f.late, ok
}

// Like returns how many jobs are like one of a size, and what they are.
func Like(all []Wait, gpus int) (jobs int, what string) {
	of, size := like(waitsOf(all), gpus)
	return len(of), size.what(speakerOf("en"), "gpu-h100")
}

// ReadAll reads a body as each of the objects that the package knows.
func ReadAll(body []byte) {
	o := jobspec.Parse(body)
	w := readWorkload(o)
	q := readClusterQueue(o)
	_ = quotaOf(q, w.needs, nil, speakerOf("en"))
	_ = readLocalQueue(o)
	_ = readVolcanoQueue(o).quota(readPodGroup(o).needs, speakerOf("en"))
	for _, e := range endingsOf(o) {
		_ = e.sentence(speakerOf("zh"))
	}
}
