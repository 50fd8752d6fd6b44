package notify_test

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/channel/event"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// TestEvents: a real API server accepts the Events of every kind of message, and a repeat
// creates no second one. Without rights, the error and Check name the rights to grant. A
// namespace that does not exist is a permanent error.
func TestEvents(t *testing.T) {
	server := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	cluster := connect(t, server.RESTConfig())
	job := makeJob(t, cluster)
	c, err := event.New(event.Options{Clusters: map[string]*kube.Cluster{"gpu-west": cluster}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	events, err := kube.For[eventsv1.Event](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := channeltest.Composed(message.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, channeltest.Hostile(message.English), channeltest.Huge(message.Chinese))
	written := 0
	for i, m := range all {
		about(m, job, "key/"+string(m.Kind)+string(rune('a'+i)))
		for range 2 {
			r, err := c.Send(t.Context(), m, channel.Receiver{})
			if err != nil {
				t.Fatalf("%s %q: %v", m.Kind, m.Title, err)
			}
			if r.Ref == "" {
				break
			}
			written++
		}
	}
	found, err := kube.Collect(events.List(t.Context(), kube.Where{Namespace: "team-llm", FieldSelector: "regarding.uid=" + string(job.UID)}))
	if err != nil || len(found) != written/2 || written < 16 {
		t.Errorf("%d Events after %d tries: %v", len(found), written, err)
	}
	for _, e := range found {
		if e.Regarding.APIVersion != "batch/v1" || e.Note == "" || e.Reason == "" || e.ReportingController != "vedette.io/notifier" {
			t.Errorf("%+v", e)
		}
	}
	m := channeltest.Failed(message.English)
	about(m, job, "elsewhere")
	m.Notice.Job.Namespace = "nowhere"
	if _, err := c.Send(t.Context(), m, channel.Receiver{}); channel.ErrorOf(err) == nil || channel.ErrorOf(err).Kind != channel.Permanent {
		t.Errorf("a namespace that does not exist: %v", err)
	}
	refused(t, server.RESTConfig(), job)
}

// about turns a message into one about a job.
func about(m *message.Message, job *batchv1.Job, key string) {
	n := message.Notice{Kind: m.Kind}
	if m.Notice != nil {
		n = *m.Notice
	}
	n.Job = message.Job{Cluster: "gpu-west", Type: "jobs.batch", Kind: "Job", Namespace: job.Namespace, Name: job.Name, UID: string(job.UID)}
	m.Notice, m.ID = &n, key
}

// refused sends a message as a user without rights.
func refused(t *testing.T, cfg *rest.Config, job *batchv1.Job) {
	t.Helper()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "nobody"}
	c, err := event.New(event.Options{Clusters: map[string]*kube.Cluster{"gpu-west": connect(t, cfg)}})
	if err != nil {
		t.Fatal(err)
	}
	m := channeltest.Failed(message.English)
	about(m, job, "refused")
	for _, err := range []error{c.Check(t.Context()), second(c.Send(t.Context(), m, channel.Receiver{}))} {
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || !strings.Contains(err.Error(), "create on events.events.k8s.io") {
			t.Errorf("without rights: %v", err)
		}
	}
}

func connect(t *testing.T, cfg *rest.Config) *kube.Cluster {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

// makeJob creates a job in a namespace of its own.
func makeJob(t *testing.T, cluster *kube.Cluster) *batchv1.Job {
	t.Helper()
	namespaces, err := kube.For[corev1.Namespace](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-llm"}}); err != nil {
		t.Fatal(err)
	}
	jobs, err := kube.For[batchv1.Job](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	job, err := jobs.Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-llm", Name: "train"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "train", Image: "example.com/train:1"}},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return job
}
