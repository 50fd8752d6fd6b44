package portal

import (
	"fmt"
	"time"
)

// operation is a kind of request.
type operation struct {
	name string
	// goal marks the operations that must answer within 100 ms.
	goal bool
	path func(*sample) string // below /api/v1
}

// day is the window of the pages.
const day = 24 * time.Hour

// operations are the measured requests. Parameters vary, so no answer comes from a cache.
var operations = []operation{
	{"list", true, func(*sample) string { return "/jobs" }},
	{"list, last 24 hours", true, func(*sample) string { return "/jobs?window=24h" }},
	{"list, filtered", true, func(s *sample) string {
		return "/jobs?" + s.of(
			fmt.Sprintf("queue=queue-%d&state=Running", s.n(40)),
			fmt.Sprintf("label=team=llm&owner=user-%d*", s.n(200)),
			fmt.Sprintf("namespace=team-data-%d&state=Failed&state=Aborted", s.n(50)),
			fmt.Sprintf("label=budget=2026-q%d&gpus=>8&submitted=>%dd", 1+s.n(4), 1+s.n(29)),
			fmt.Sprintf("reason=OOM*&window=7d&queue=!queue-%d", s.n(40)),
		)
	}},
	{"list, searched", true, func(s *sample) string {
		return "/jobs?q=" + s.of("llama", "mmlu", "sweep", "zzz", "diffusion", fmt.Sprintf("%04x", s.n(65536)))
	}},
	{"list, sorted", true, func(s *sample) string {
		return "/jobs?sort=" + s.of("name", "-name", "-owner", "queue", "-gpus", "-waited", "ran", "state", "-since", "namespace", "-tries")
	}},
	{"list, deep page", true, func(s *sample) string { return "/jobs?after=" + s.cursors[s.n(len(s.cursors))] }},
	{"list, as of a time", true, func(s *sample) string { return "/jobs?at=" + s.ago(29*24).Format(time.RFC3339) }},
	{"counts", true, func(s *sample) string {
		return fmt.Sprintf("/jobs/counts?owner=user-%d&window=%dd", s.n(2000), 1+s.n(29))
	}},
	{"suggestions", false, func(s *sample) string {
		return "/suggest?key=" + s.of("owner", "namespace", "label", "queue") + "&prefix=" + s.of("", "u", "t", "q")
	}},
	{"timeline, 24 h", true, func(s *sample) string {
		at := s.ago(48)
		return "/timeline?" + span(at.Add(-day), at) + "&group=" + s.of("cluster", "queue", "owner")
	}},
	{"timeline, 7 d", true, func(s *sample) string {
		at := s.ago(48)
		return "/timeline?" + span(at.Add(-7*day), at) + "&group=" + s.of("cluster", "queue", "owner")
	}},
	{"timeline, filtered", true, func(s *sample) string {
		at := s.ago(48)
		return fmt.Sprintf("/timeline?%s&group=queue&label=team=llm&owner=user-%d*", span(at.Add(-7*day), at), s.n(200))
	}},
	{"timeline, overview 24 h", true, func(s *sample) string {
		at := s.ago(48)
		return "/timeline/overview?" + span(at.Add(-day), at)
	}},
	{"job", true, func(s *sample) string { return s.of(s.ended...) }},
	{"job, transitions", true, func(s *sample) string { return s.of(s.ended...) + "/transitions" }},
	{"job, pods", true, func(s *sample) string { return s.of(s.failed...) + "/pods" }},
	{"job, attempts", true, func(s *sample) string { return s.of(s.failed...) + "/attempts" }},
	{"job, why it waits", true, func(s *sample) string { return s.of(s.waiting...) + "/waiting" }},
	{"job, why it failed", true, func(s *sample) string { return s.of(s.failed...) + "/failure" }},
	{"statistics, 24 h", false, func(s *sample) string {
		at := s.ago(48)
		return "/stats?" + span(at.Add(-day), at)
	}},
	{"statistics, 7 d", false, func(s *sample) string {
		at := s.ago(48)
		return "/stats?" + span(at.Add(-7*day), at)
	}},
}
