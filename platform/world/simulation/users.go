package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/job"
)

// maxOpen is the maximum number of open jobs at which the users submit another job.
const maxOpen = 8

var (
	models = []string{"llama-ft", "whisper", "resnet50", "bert-base", "sdxl-lora", "yolo"}
	users  = []string{"ana", "ben", "chen", "dita", "emre"}
	teams  = []string{"team-vision", "team-speech", "team-llm"}
)

// Namespaces returns the namespaces of the teams of the users.
func Namespaces() []string { return slices.Clone(teams) }

// Users submit the jobs of the users. The seed determines what happens to each job; only
// the interleaving of the jobs depends on the clock.
type Users struct {
	*Platform
	seed  uint64
	began time.Time
}

// NewUsers returns the users of a platform.
func NewUsers(p *Platform, seed uint64) *Users { return &Users{p, seed, time.Now()} }

// Submit submits jobs one after the other, and returns when all jobs have ended, including those of
// other users. With 0 jobs, it submits jobs until ctx is done.
//
// Errors: the cause of ctx; the first error of the server.
func (u *Users) Submit(ctx context.Context, jobs int) error {
	chance := rand.New(rand.NewPCG(u.seed, 1<<63))
	for i := 0; jobs == 0 || i < jobs; i++ {
		if err := u.await(ctx, func(open, _ int) bool { return open < maxOpen }); err != nil {
			return err
		}
		plan := randomPlan(u.seed, i)
		job := newJob(&plan, i)
		u.plan(job.Name, plan)
		if _, err := u.server.Create(job); err != nil {
			return err
		}
		u.pass(ctx, chance, 600)
	}
	return u.await(ctx, func(open, ended int) bool { return open == 0 && ended >= jobs })
}

func newJob(plan *jobPlan, i int) *batchv1.Job {
	model := models[plan.chance.IntN(len(models))]
	name, user := fmt.Sprintf("%s-%d", model, i), users[i%len(users)]
	suspend, retries := true, int32(1)
	count := resource.NewQuantity(int64(1)<<plan.texts.IntN(4), resource.DecimalSI)
	return &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: teams[plan.chance.IntN(len(teams))], Name: name,
			Labels:      map[string]string{job.KueueQueueLabel: "gpu", job.UserLabel: user},
			Annotations: map[string]string{job.SubmitterAnnotation: user},
		},
		Spec: batchv1.JobSpec{
			Suspend: &suspend, BackoffLimit: &retries,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers: []corev1.Container{{
					Name: "train", Image: "registry.example/" + name, Command: []string{"python", "train.py", "--model", model},
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{gpuResource: *count}},
				}},
			}},
		},
	}
}

// Ended returns the number of jobs that have ended.
func (u *Users) Ended() int {
	_, total := u.outcomes()
	return total
}

// Summary describes how the jobs ended.
func (u *Users) Summary() string {
	byEnd, total := u.outcomes()
	var parts []string
	for _, how := range []string{jobSucceeded, jobRetried, jobFailed, jobCancelled, jobDeleted} {
		if n := byEnd[how]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, how))
		}
	}
	if total == 0 {
		return "No job has ended."
	}
	return fmt.Sprintf("%d jobs in %v: %s.", total, time.Since(u.began).Round(time.Second), strings.Join(parts, ", "))
}
