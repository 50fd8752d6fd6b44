package logs_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/kindtest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
)

// TestLogsOfKinds: the logs of the pods of each kind are found, by their label and by the
// controllers between the pods and the job, and not those of other jobs.
func TestLogsOfKinds(t *testing.T) {
	for _, row := range kindtest.Rows(t) {
		if row.None["logs"] != "" {
			continue
		}
		t.Run(row.Type, func(t *testing.T) {
			s := newStage(t, apitest.Config{})
			own := row.Kind(t)
			for _, o := range row.Pod.Owners { // the last one is the example
				s.register(o)
			}
			if own.Name == "Pod" {
				s.pod(kindtest.Name, func(p *corev1.Pod) { p.OwnerReferences = nil })
				s.say(10, kindtest.Name, "mine")
				same(t, s.readOf(&row), kindtest.Name+"#1 mine")
				return
			}
			if own.Type() != "jobs.batch" { // newStage has made one of this name
				s.make(row.Object(t), nil)
			}
			owner := s.submitted(&row).Object
			for i := len(row.Pod.Owners) - 2; i >= 0; i-- {
				o := row.Pod.Owners[i]
				object := map[string]any{"apiVersion": o.APIVersion, "kind": o.Kind, "metadata": map[string]any{"name": o.Name}}
				if o.Kind == "Pod" {
					object["spec"] = map[string]any{"containers": []any{map[string]any{"name": "other", "image": "x"}}}
				}
				if o.Kind == "Job" && o.Name == kindtest.Name {
					object["metadata"] = map[string]any{"name": o.Name + "-inner"}
				}
				owner = s.make(object, owner)
			}
			s.pod("mine", func(p *corev1.Pod) { p.Labels, p.OwnerReferences = row.Pod.Labels, refTo(owner) })
			s.pod("other", func(p *corev1.Pod) {
				p.Labels, p.OwnerReferences = row.Pod.Labels, owned("batch/v1", "Job", "x", "another")
			})
			s.say(10, "mine", "text")
			s.say(10, "other", "text")
			same(t, s.readOf(&row), "mine#1 text")
		})
	}
}

// register makes the server serve the type of an owner.
func (s *stage) register(o job.Owner) {
	s.t.Helper()
	group, version, named := strings.Cut(o.APIVersion, "/")
	if !named || group == "batch" || group == "apps" {
		return
	}
	err := s.server.Register(apitest.Type{Group: group, Version: version, Kind: o.Kind, Namespaced: true, Status: true})
	if err != nil {
		s.t.Fatal(err)
	}
}

// make creates an object that another one controls.
func (s *stage) make(fields map[string]any, owner *unstructured.Unstructured) *unstructured.Unstructured {
	s.t.Helper()
	o := (&unstructured.Unstructured{Object: fields}).DeepCopy()
	o.SetNamespace("ml")
	if owner != nil {
		o.SetOwnerReferences(refTo(owner))
	}
	group := job.Object(fields).Group()
	client, err := kube.For[unstructured.Unstructured](s.cluster, kube.ClientConfig{
		Resource: strings.TrimSuffix(strings.ToLower(o.GetKind())+"."+group, "."), Writes: kube.Persist,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	made, err := client.Create(s.t.Context(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	made.SetAPIVersion(o.GetAPIVersion())
	made.SetKind(o.GetKind())
	return made
}

func refTo(o *unstructured.Unstructured) []metav1.OwnerReference {
	return owned(o.GetAPIVersion(), o.GetKind(), o.GetName(), string(o.GetUID()))
}

// submitted returns the example as a job.
func (s *stage) submitted(row *kindtest.Row) submit.Job {
	s.t.Helper()
	j, err := submit.New(s.cluster, submit.Config{}).Find(s.t.Context(), row.Type+"/"+kindtest.Name, "ml")
	if err != nil {
		s.t.Fatal(err)
	}
	return j
}

// readOf reads the logs of the example.
func (s *stage) readOf(row *kindtest.Row) []string {
	s.t.Helper()
	o := s.options()
	o.Job = s.submitted(row)
	return s.read(o)
}
