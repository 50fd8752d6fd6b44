package insight_test

import (
	"fmt"
	"log/slog"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestIndexFollowsPods: the index shows what the pods of a job say while it follows the feed, also a
// reason that changes within a state of the pod, and reports each change. A restart of the index
// shows the same.
func TestIndexFollowsPods(t *testing.T) {
	s := newScene(t, dbtest.Empty(t, "sqlite"))
	s.create("apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: ml, name: train}\nspec: {template: {spec: {containers: [{name: main, image: x}]}}}\nstatus: {startTime: 'NOW', active: 1, ready: 0}")
	s.create("apiVersion: v1\nkind: Pod\nmetadata: {namespace: ml, name: train-x, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: UID(train), controller: true}]}\n" +
		"spec: {containers: [{name: main}]}\nstatus: {phase: Pending}")
	defer s.recording("jobs.batch", "pods")()
	changes := make(chan string, 100)
	s.index = jobindex.New(jobindex.Config{DB: s.db, Logger: slog.New(slog.DiscardHandler), Changed: func(all []jobindex.Change) {
		for i := range all {
			changes <- state(string(all[i].Row.State), all[i].Row.Reason)
		}
	}})
	defer s.run(s.index.Run)()
	<-s.index.Ready()
	for _, step := range []struct {
		node       string
		pod, job   map[string]any
		want       string
		wantWaited bool
	}{
		{"", pending(`conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: no node}]`), nil, "Queued: Unschedulable", true},
		{"n1", pending(`containerStatuses: [{name: main, state: {waiting: {reason: ErrImagePull}}}]`), nil, "Starting: ErrImagePull", false},
		{"n1", pending(`containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff}}}]`), nil, "Starting: ImagePullBackOff", false},
		{
			"n1",
			map[string]any{"phase": "Running", "containerStatuses": []any{map[string]any{"name": "main", "ready": true, "state": map[string]any{"running": map[string]any{}}}}},
			map[string]any{"startTime": s.now.Format("2006-01-02T15:04:05Z"), "active": int64(1), "ready": int64(1)},
			"Running", false,
		},
		{"n1", running(`containerStatuses: [{name: main, restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}}]`), nil, "Restarting: CrashLoopBackOff", false},
	} {
		s.modify("v1", "Pod", "train-x", func(o map[string]any) {
			if step.node != "" {
				spec, _ := o["spec"].(map[string]any)
				spec["nodeName"] = step.node
			}
			o["status"] = step.pod
		})
		if step.job != nil {
			s.modify("batch/v1", "Job", "train", func(o map[string]any) { o["status"] = step.job })
		}
		patience.Until(t, "the index shows "+step.want, func() string {
			row := s.job("ml", "train")
			if got := state(string(row.State), row.Reason); got != step.want {
				return got
			}
			if last := row.Life[len(row.Life)-1]; last.State != row.State || step.wantWaited && row.Waited <= 0 {
				return fmt.Sprintf("the life %+v, waited %v", row.Life, row.Waited)
			}
			return ""
		})
		last := ""
		for last != step.want {
			last = patience.Receive(t, "change to "+step.want, changes)
		}
	}
	again := jobindex.New(jobindex.Config{DB: s.db, Logger: slog.New(slog.DiscardHandler)})
	stop := s.run(again.Run)
	<-again.Ready()
	stop()
	err := again.View(func(v *jobindex.View) error {
		if r, _ := v.Newest("gpu-west", "jobs.batch", "ml", "train"); r.State != job.Restarting || r.Reason != "CrashLoopBackOff" {
			t.Errorf("after a restart: got %+v, want Restarting, CrashLoopBackOff", r)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// pending and running return the status of a pod in a phase with more fields, as YAML.
func pending(more string) map[string]any { return statusOf("Pending", more) }
func running(more string) map[string]any { return statusOf("Running", more) }

func statusOf(phase, more string) map[string]any {
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(more), &fields); err != nil {
		panic(err)
	}
	fields["phase"] = phase
	return fields
}

// TestWhyPodsDoNotStart: the answer to why a job waits has the reason and the message of its pod.
func TestWhyPodsDoNotStart(t *testing.T) {
	s := newScene(t, dbtest.Empty(t, "sqlite"))
	for name, status := range map[string]string{
		"image":  `containerStatuses: [{name: main, state: {waiting: {reason: ImagePullBackOff, message: Back-off pulling image nosuch}}}]`,
		"config": `containerStatuses: [{name: main, state: {waiting: {reason: CreateContainerConfigError}}}]`,
		"setup":  `containerStatuses: [{name: main, state: {waiting: {reason: ContainerCreating}}}]`,
		"place":  `conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "0/4 nodes are available: 4 Insufficient nvidia.com/gpu."}]`,
	} {
		node := "n1"
		if name == "place" {
			node = ""
		}
		s.create("apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: ml, name: " + name + "}\nspec: {template: {spec: {containers: [{name: main, image: x}]}}}\nstatus: {startTime: 'NOW', active: 1, ready: 0}")
		s.create("apiVersion: v1\nkind: Pod\nmetadata: {namespace: ml, name: " + name + "-x, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: " + name + ", uid: UID(" + name + "), controller: true}]}\n" +
			"spec: {nodeName: '" + node + "', containers: [{name: main}]}\nstatus: {phase: Pending, " + status + "}")
	}
	s.record("jobs.batch", "pods")
	for name, want := range map[string]string{
		"image":  "It has its place, but its pods do not start, ImagePullBackOff: Back-off pulling image nosuch.",
		"config": "It has its place, but its pods do not start: CreateContainerConfigError.",
		"setup":  "It has its place, and its pods are being set up.",
		"place":  "None of 4 nodes fits: too few GPUs left (4).",
	} {
		a, err := s.insight.Waiting(t.Context(), s.job("ml", name), insight.Viewer{Language: "en"})
		if err != nil || a.Sentence != want {
			t.Errorf("%s: got %q, error %v; want %q", name, a.Sentence, err, want)
		}
	}
}
