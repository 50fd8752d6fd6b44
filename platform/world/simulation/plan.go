package simulation

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
)

// jobPlan determines the course of a job. It is random for jobs of the demo, and depends on the
// command for jobs that users submit.
type jobPlan struct {
	chance *rand.Rand
	texts  *rand.Rand // for names and lines of logs, so that they do not change the course of jobs
	random bool
	length time.Duration // of a complete run
	fails  bool
	memory bool // a failure is an out-of-memory kill
}

// randomPlan is the plan of job number i of the demo. The seed determines it.
func randomPlan(seed uint64, i int) jobPlan {
	seed += 5 // so that the first twelve jobs of seed 1 end in all ways
	return jobPlan{chance: rand.New(rand.NewPCG(seed, uint64(i))), texts: rand.New(rand.NewPCG(seed, 1<<32+uint64(i))), random: true, length: 4 * time.Second}
}

// planOf is the plan of a job that a user submitted: `sleep 60` runs for a minute, a command with
// the word fail or oom fails, and any other job succeeds after half a minute.
func planOf(job *batchv1.Job) jobPlan {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(job.UID)) // a hash returns no error
	seed := hash.Sum64()
	p := jobPlan{chance: rand.New(rand.NewPCG(seed, 1)), texts: rand.New(rand.NewPCG(seed, 2)), length: 30 * time.Second}
	var words []string
	for _, c := range job.Spec.Template.Spec.Containers {
		for _, word := range append(slices.Clone(c.Command), c.Args...) {
			words = append(words, strings.FieldsFunc(strings.ToLower(word), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })...)
		}
	}
	p.memory = slices.Contains(words, "oom")
	p.fails = p.memory || slices.Contains(words, "fail")
	if p.fails {
		p.length = 8 * time.Second
	}
	if i := slices.Index(words, "sleep"); i >= 0 && i+1 < len(words) {
		word := words[i+1]
		if word[len(word)-1] >= '0' && word[len(word)-1] <= '9' {
			word += "s"
		}
		if d, err := time.ParseDuration(word); err == nil {
			p.length = d
		}
	}
	return p
}

// withdrawn decides whether its user deletes the job before it runs.
func (p *jobPlan) withdrawn() bool { return p.random && p.chance.IntN(8) == 0 }

// lasts returns the duration of an attempt.
func (p *jobPlan) lasts() time.Duration {
	if !p.random {
		return p.length
	}
	return p.length/2 + time.Duration(p.chance.Int64N(int64(p.length)))
}

// failure returns the reason why an attempt fails; empty for success.
func (p *jobPlan) failure() (reason string, code int32) {
	fails, memory := p.fails, p.memory
	if p.random {
		fails = p.chance.IntN(3) == 0
		memory = fails && p.chance.IntN(2) == 0
	}
	switch {
	case !fails:
		return "", 0
	case memory:
		return "OOMKilled", 137
	}
	return "Error", 1
}
