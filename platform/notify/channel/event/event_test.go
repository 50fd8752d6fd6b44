package event_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/event"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// serve starts a server, and returns a channel to it and a client of Events.
func serve(t *testing.T, cfg apitest.Config) (*apitest.Server, *event.Channel, *kube.Client[eventsv1.Event]) {
	t.Helper()
	server, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	c, err := event.New(event.Options{Clusters: map[string]*kube.Cluster{"gpu-west": cluster}, Instance: "replica-1"})
	if err != nil {
		t.Fatal(err)
	}
	events, err := kube.For[eventsv1.Event](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return server, c, events
}

func failed() *message.Message {
	return &message.Message{
		ID: "gpu-west/uid/48377/Failed/my-failures/events", Kind: message.Failed, State: job.Failed, Happened: time.Date(2026, 11, 22, 2, 21, 42, 108e6, time.UTC),
		Title: "Failed, OOMKilled: train", Sentence: "Worker 2 used all of its 480 GiB of memory and was killed.",
		Notice: &message.Notice{Kind: message.Failed, To: job.Failed, Job: message.Job{Cluster: "gpu-west", Type: "jobs.batch", Kind: "Job", Namespace: "team-llm", Name: "train", UID: "0bcbde3e-8960"}},
	}
}

// TestOneEventForRepeats: a repeat finds the Event of the first try.
func TestOneEventForRepeats(t *testing.T) {
	_, c, events := serve(t, apitest.Config{})
	var refs []string
	for range 3 {
		r, err := c.Send(t.Context(), failed(), channel.Receiver{})
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, r.Ref)
	}
	all, err := kube.Collect(events.List(t.Context(), kube.Where{}))
	if err != nil || len(all) != 1 || refs[0] != refs[2] || refs[0] != "team-llm/"+all[0].Name {
		t.Fatalf("got %d Events, references %v, error %v; want one Event and its reference each time", len(all), refs, err)
	}
	e := all[0]
	if e.Reason != "Failed" || e.Type != corev1.EventTypeWarning || e.Note != failed().Sentence || e.ReportingController != "vedette.io/notifier" || e.ReportingInstance != "replica-1" || e.Action == "" || e.EventTime.IsZero() {
		t.Errorf("got %+v, want a warning Failed with the sentence, by replica-1", e)
	}
	if o := e.Regarding; o.Name != "train" || o.Namespace != "team-llm" || o.UID != "0bcbde3e-8960" || o.Kind != "Job" || o.APIVersion != "batch/v1" {
		t.Errorf("got the object %+v, want the Job train in team-llm", o)
	}
	other := failed()
	other.ID += "x"
	if _, err := c.Send(t.Context(), other, channel.Receiver{}); err != nil {
		t.Fatal(err)
	}
	if all, err = kube.Collect(events.List(t.Context(), kube.Where{})); err != nil || len(all) != 2 {
		t.Errorf("another message: %d Events, %v", len(all), err)
	}
}

// TestReasons: each kind has its reason and type, and some kinds have no Event.
func TestReasons(t *testing.T) {
	_, c, events := serve(t, apitest.Config{})
	for kind, want := range map[message.Kind]string{
		message.Started: "Normal", message.NearDeadline: "Warning", message.RunningLong: "Warning", message.NoProgress: "Warning", message.WaitsLong: "Warning",
		message.Restarted: "Warning", message.Failed: "Warning", message.Succeeded: "Normal", message.Aborted: "Normal", message.StateChanged: "Normal",
		message.Deleted: "", message.Digest: "", message.GapClosed: "", message.Escalation: "", message.Test: "",
	} {
		m := failed()
		m.ID, m.Kind = "key/"+string(kind), kind
		reason := string(kind)
		if kind == message.StateChanged {
			m.Notice.To, reason = job.Queued, "Queued"
		}
		r, err := c.Send(t.Context(), m, channel.Receiver{})
		if err != nil {
			t.Errorf("send of %s failed: %v", kind, err)
			continue
		}
		all, err := kube.Collect(events.List(t.Context(), kube.Where{FieldSelector: "metadata.name=" + strings.TrimPrefix(r.Ref, "team-llm/")}))
		switch {
		case err != nil:
			t.Errorf("list of the Events of %s failed: %v", kind, err)
		case want == "" && (r.Ref != "" || r.Status == ""):
			t.Errorf("%s: %+v, want no Event", kind, r)
		case want != "" && (len(all) != 1 || all[0].Type != want || all[0].Reason != reason):
			t.Errorf("%s: got %+v, want one Event of type %s with reason %s", kind, all, want, reason)
		}
	}
}

// TestHostileText: long and strange text gives a valid Event.
func TestHostileText(t *testing.T) {
	_, c, events := serve(t, apitest.Config{})
	m := failed()
	m.ID, m.Sentence = strings.Repeat("失败/", 300), strings.Repeat("训练🚀<b>", 400)
	if _, err := c.Send(t.Context(), m, channel.Receiver{}); err != nil {
		t.Fatal(err)
	}
	all, err := kube.Collect(events.List(t.Context(), kube.Where{}))
	if err != nil || len(all) != 1 || len(all[0].Note) > 1000 || !strings.HasSuffix(all[0].Note, "…") || strings.ContainsRune(all[0].Note, '\ufffd') {
		t.Errorf("got %+v and error %v, want one Event with a note cut at 1000 bytes", all, err)
	}
}

// TestRefusals: missing rights are temporary, and the error names the right to grant, also
// in Check. Another cluster is permanent.
func TestRefusals(t *testing.T) {
	_, c, _ := serve(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Verb == "create" {
			return errors.New("no")
		}
		return nil
	}})
	for _, kind := range []message.Kind{message.Failed, message.Test} {
		m := failed()
		m.Kind = kind
		_, err := c.Send(t.Context(), m, channel.Receiver{})
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary || !strings.Contains(err.Error(), "create on events.events.k8s.io") {
			t.Errorf("%s: got %v, want a temporary error with the missing right", kind, err)
		}
	}
	if err := c.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "grant it") {
		t.Errorf("Check: got %v, want an error with what to grant", err)
	}
	m := failed()
	m.Notice.Job.Cluster = "gpu-east"
	if _, err := c.Send(t.Context(), m, channel.Receiver{}); channel.ErrorOf(err) == nil || channel.ErrorOf(err).Kind != channel.Permanent || !strings.Contains(err.Error(), "gpu-west") {
		t.Errorf("another cluster: got %v, want a permanent error with gpu-west", err)
	}
	if c, err := event.New(event.Options{}); err == nil {
		t.Errorf("%v without clusters", c)
	}
}

// TestServerThatIsAway: Send ends with its context, and the error is temporary.
func TestServerThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, c, _ := serve(t, apitest.Config{})
		server.Unavailable()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Send(ctx, failed(), channel.Receiver{})
		if e := channel.ErrorOf(err); e == nil || e.Kind != channel.Temporary {
			t.Errorf("got %v, want a temporary error", err)
		}
		if err := server.Available(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Send(t.Context(), failed(), channel.Receiver{}); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
