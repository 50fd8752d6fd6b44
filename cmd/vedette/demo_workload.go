package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// workload simulates the users, the queue, the job controller and the nodes of a small
// training platform. The seed determines what happens to each job; only the interleaving
// of the jobs depends on the clock.
type workload struct {
	server *apitest.Server
	seed   uint64
	speed  float64
	gpus   chan struct{} // holds a token for each running job

	mu    sync.Mutex
	ended map[string]int // number of jobs by outcome
	began time.Time
}

// gpus is the number of jobs that run at the same time. It is small, so that others queue.
const gpus = 3

// maxOpen bounds the jobs that exist at the same time.
const maxOpen = 8

func newWorkload(server *apitest.Server, seed uint64, speed float64) *workload {
	return &workload{
		server: server, seed: seed, speed: speed,
		gpus: make(chan struct{}, gpus), ended: map[string]int{}, began: time.Now(),
	}
}

// run submits jobs one after the other, and returns when all have ended. With 0 jobs, it
// submits jobs until ctx is done.
//
// Errors: the cause of ctx; the first error of the server.
func (s *workload) run(ctx context.Context, jobs int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	open := make(chan struct{}, maxOpen)
	chance := rand.New(rand.NewPCG(s.seed, 1<<63)) // each goroutine has its own source
	var work sync.WaitGroup
	for i := 0; (jobs == 0 || i < jobs) && ctx.Err() == nil; i++ {
		select {
		case open <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		job := s.newJob(i)
		work.Go(func() {
			if err := job.run(ctx); err != nil {
				cancel(err)
			}
			<-open
		})
		s.pass(ctx, chance, 600)
	}
	work.Wait()
	return context.Cause(ctx)
}

// pass waits for about that many milliseconds of simulated time.
func (s *workload) pass(ctx context.Context, chance *rand.Rand, about int) {
	ms := float64(about/2+chance.IntN(about)) / s.speed
	pause(ctx, time.Duration(ms*float64(time.Millisecond)))
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// over returns how many jobs have ended.
func (s *workload) over() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, some := range s.ended {
		n += some
	}
	return n
}

// summary describes how the jobs ended.
func (s *workload) summary() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	var parts []string
	for _, how := range []string{"succeeded", "succeeded after a retry", "failed", "deleted by their user"} {
		if n := s.ended[how]; n > 0 {
			total += n
			parts = append(parts, fmt.Sprintf("%d %s", n, how))
		}
	}
	if total == 0 {
		return "No job has ended."
	}
	return fmt.Sprintf("%d jobs in %v: %s.", total, time.Since(s.began).Round(time.Second), strings.Join(parts, ", "))
}

func (s *workload) count(how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended[how]++
}

// demoJob is one simulated job.
type demoJob struct {
	*workload
	chance *rand.Rand
	job    *batchv1.Job
	pods   int // attempts so far
}

var (
	models = []string{"llama-ft", "whisper", "resnet50", "bert-base", "sdxl-lora", "yolo"}
	users  = []string{"ana", "ben", "chen", "dita", "emre"}
	teams  = []string{"team-vision", "team-speech", "team-llm"}
)

func (s *workload) newJob(i int) *demoJob {
	chance := rand.New(rand.NewPCG(s.seed, uint64(i)))
	name := fmt.Sprintf("%s-%d", models[chance.IntN(len(models))], i)
	suspend, retries := true, int32(1)
	return &demoJob{workload: s, chance: chance, job: &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: teams[chance.IntN(len(teams))], Name: name,
			Labels: map[string]string{"kueue.x-k8s.io/queue-name": "gpu", "vedette.io/user": users[i%len(users)]},
		},
		Spec: batchv1.JobSpec{
			Suspend: &suspend, BackoffLimit: &retries,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "train", Image: "registry.example/" + name}},
			}},
		},
	}}
}
