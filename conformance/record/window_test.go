package record_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/history"
)

// TestWindow: history that the server no longer has when a recorder restarts is one gap
// for each type, with the right bounds, and objects that vanished in it are deleted. If
// another recorder ran meanwhile, nothing is missing, and no gap remains.
func TestWindow(t *testing.T) {
	program := build(t)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "jobs", "pods")
			s.load.makeMarkers(t)
			for _, name := range []string{"changes", "vanishes", "stays"} {
				s.makePod(t, name)
			}
			one := s.record(t, "one")
			s.covered(t, "one")
			s.settle(t, 3*time.Minute, "one")
			one.kill()
			s.forgotten(t, one)
			if t.Failed() {
				return
			}
			two, since := s.peer(t)
			s.cutOff(t)
			s.settle(t, 3*time.Minute, "one", "two")
			one.kill()
			s.change(t, "again")
			s.forget(t)
			one.launch(t)
			s.settle(t, 3*time.Minute, "one", "two")
			s.compare(t, false)
			s.closed(t, since)
			one.stop(t)
			two.stop(t)
		})
	}
}

func (s *stage) makePod(t *testing.T, name string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "train"}}},
	}
	if _, err := s.load.client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (s *stage) deletePod(t *testing.T, name string) {
	t.Helper()
	if err := s.load.client.CoreV1().Pods("default").Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}); err != nil {
		t.Fatal(err)
	}
}

// change creates, changes and deletes pods.
func (s *stage) change(t *testing.T, with string) {
	t.Helper()
	pods := s.load.client.CoreV1().Pods("default")
	s.makePod(t, "begins-"+with)
	s.makePod(t, "is-short-"+with)
	for i, phase := range []string{"Running", "Failed", "Succeeded"} {
		text := fmt.Appendf(nil, `{"status":{"phase":"%s","message":"%s %d"}}`, phase, with, i)
		if _, err := pods.Patch(t.Context(), "changes", types.MergePatchType, text, metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
	}
	s.deletePod(t, "is-short-"+with)
}

// forget makes the server compact its history.
func (s *stage) forget(t *testing.T) {
	t.Helper()
	if err := s.plane.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.restartAPIServer(t)
}

// forgotten makes changes that the recorder, which is stopped, cannot see.
func (s *stage) forgotten(t *testing.T, one *recorder) {
	t.Helper()
	before := map[string]int64{}
	d := s.open(t)
	defer d.Close()
	for _, resource := range s.types {
		before[resource] = read(t, d, resource).reach("one")
	}
	s.change(t, "hidden")
	s.deletePod(t, "vanishes")
	s.forget(t)
	one.launch(t)
	s.settle(t, 3*time.Minute, "one")
	s.compare(t, true)
	for _, resource := range s.types {
		h := read(t, d, resource)
		if len(h.gaps) != 1 || h.gaps[0].healed || h.gaps[0].cause != history.CauseWindow || h.gaps[0].from != before[resource] {
			t.Errorf("%s: the gaps are %v, want one from %d", resource, h.gaps, before[resource])
			continue
		}
		if to := h.gaps[0].to; to < s.restarts[0].from || to != h.coverage[len(h.coverage)-1].from {
			t.Errorf("%s: the gap is %v; the server restarted at %v, and coverage is %v", resource, h.gaps[0], s.restarts[0], h.coverage)
		}
	}
	want := map[string]string{"vanishes": "relist true 2", "changes": "relist false 2", "begins-hidden": "relist false 1", "stays": "list false 1"}
	for _, o := range read(t, d, "pods").objects {
		if o.name == "marker" {
			continue
		}
		last := o.revisions[len(o.revisions)-1]
		if got := last.source.String() + " " + strconv.FormatBool(last.gone) + " " + strconv.Itoa(len(o.revisions)); got != want[o.name] {
			t.Errorf("the last revision of %s is of %s, want %s: %v", o.name, got, want[o.name], o.revisions)
		}
		delete(want, o.name)
	}
	if len(want) > 0 {
		t.Errorf("nothing is recorded of %v", want)
	}
}

// cutOff makes changes that one recorder cannot see, and the other can.
func (s *stage) cutOff(t *testing.T) {
	t.Helper()
	s.api.Set(network.Refuse)
	s.change(t, "seen")
	s.deletePod(t, "stays")
	s.forget(t)
	s.api.Set(network.Whole)
}
