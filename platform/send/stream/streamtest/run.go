package streamtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	cloudevents "github.com/cloudevents/sdk-go/v2/event"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/send/stream"
)

// Message is a message that a broker has stored.
type Message struct {
	ContentType string
	Attributes  map[string]string // CloudEvents attributes, without the prefix of their headers, decoded
	Body        []byte
}

// Broker is a message broker for tests.
type Broker interface {
	// Sink returns a sink for the broker.
	Sink(t *testing.T, mode stream.Mode) stream.Sink
	// Messages returns all stored messages, those of a key in their order.
	Messages(t *testing.T) []Message
	// Stop makes the broker unreachable, and Start ends this.
	Stop(t *testing.T)
	Start(t *testing.T)
}

// Run runs the tests. start returns an empty broker.
func Run(t *testing.T, start func(t *testing.T) Broker) {
	t.Helper()
	tests := map[string]func(t *testing.T, b Broker){
		"binary":     func(t *testing.T, b Broker) { stored(t, b, stream.Binary) },
		"structured": func(t *testing.T, b Broker) { stored(t, b, stream.Structured) },
		"order":      order,
		"hostile":    hostile,
		"large":      large,
		"outage":     outage,
		"cancelled":  cancelled,
		"replica":    replica,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, start(t)) })
	}
}

// Event returns an event about an object.
func Event(uid string, version int) stream.Event {
	at := time.Date(2026, 11, 20, 9, 30, 0, version*1000, time.UTC)
	return stream.Event{
		ID: fmt.Sprintf("%s.%d", uid, version), Source: "/vedette/c1", Subject: "jobs.batch/team-a/" + uid, Time: at, Key: uid,
		Data: stream.Data{
			Kind: stream.KindNew, Position: 7, Cluster: stream.Cluster{Name: "prod", UID: "c1"}, Version: fmt.Sprint(version), From: "Queued", To: "Running",
			Object:   stream.Object{Group: "batch", Resource: "jobs", Kind: "Job", Namespace: "team-a", Name: uid, UID: uid, Labels: map[string]string{"team": "a"}},
			Happened: at, Seen: at, Observed: "watch",
		},
	}
}

// send sends events until the sink has stored them. A sink may still be connecting.
func send(t *testing.T, s stream.Sink, events ...stream.Event) {
	t.Helper()
	patience.NoError(t, fmt.Sprintf("%s stores the events", s), func() error { return s.Send(t.Context(), events) })
}

// sinkOf returns a sink that is closed at the end of the test.
func sinkOf(t *testing.T, b Broker, mode stream.Mode) stream.Sink {
	t.Helper()
	s := b.Sink(t, mode)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// decode returns the event of a message. The SDK of CloudEvents checks it.
func decode(t *testing.T, m *Message) (cloudevents.Event, stream.Data) {
	t.Helper()
	e := cloudevents.New()
	if m.ContentType == stream.StructuredType {
		if err := json.Unmarshal(m.Body, &e); err != nil {
			t.Fatalf("%v in %s", err, m.Body)
		}
	} else {
		at, err := time.Parse(time.RFC3339Nano, m.Attributes["time"])
		if err != nil {
			t.Fatal(err)
		}
		e.SetID(m.Attributes["id"])
		e.SetSource(m.Attributes["source"])
		e.SetType(m.Attributes["type"])
		e.SetSubject(m.Attributes["subject"])
		e.SetDataSchema(m.Attributes["dataschema"])
		e.SetExtension("partitionkey", m.Attributes["partitionkey"])
		e.SetTime(at)
		if err := e.SetData(m.ContentType, m.Body); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Validate(); err != nil {
		t.Errorf("the event is invalid: %v: %+v", err, m)
	}
	var d stream.Data
	if err := e.DataAs(&d); err != nil {
		t.Fatalf("%v in %s", err, e.Data())
	}
	return e, d
}

func stored(t *testing.T, b Broker, mode stream.Mode) {
	s, want := sinkOf(t, b, mode), Event("a", 3)
	send(t, s, want)
	all := b.Messages(t)
	if len(all) != 1 {
		t.Fatalf("got %d messages, want 1", len(all))
	}
	e, d := decode(t, &all[0])
	if e.ID() != want.ID || e.Source() != want.Source || e.Subject() != want.Subject || e.Type() != stream.EventType || !e.Time().Equal(want.Time) || e.DataSchema() != stream.SchemaURL || fmt.Sprint(e.Extensions()["partitionkey"]) != "a" {
		t.Errorf("got event %v, want %+v", e, want)
	}
	if fmt.Sprintf("%+v", d) != fmt.Sprintf("%+v", want.Data) {
		t.Errorf("got data %+v, want %+v", d, want.Data)
	}
}

func order(t *testing.T, b Broker) {
	s := sinkOf(t, b, stream.Binary)
	const keys, versions = 50, 20
	for v := range versions {
		var round []stream.Event
		for k := range keys {
			round = append(round, Event(fmt.Sprint("k", k), v+1))
		}
		send(t, s, round...)
	}
	next := map[string]int{}
	for _, m := range b.Messages(t) {
		key := m.Attributes["partitionkey"]
		if next[key]++; m.Attributes["id"] != fmt.Sprintf("%s.%d", key, next[key]) {
			t.Fatalf("got event %s as number %d of %s", m.Attributes["id"], next[key], key)
		}
	}
	if len(next) != keys || next["k0"] != versions {
		t.Errorf("got %d keys, and %d events of one; want %d and %d", len(next), next["k0"], keys, versions)
	}
}

// hostile sends names that could break headers, subjects and JSON.
func hostile(t *testing.T, b Broker) {
	s := sinkOf(t, b, stream.Binary)
	for i, name := range []string{"a\r\nce-id: forged", "a.b.*.>", "名前", `"quoted" %41`, strings.Repeat("x", 1000), "tab\tand\x00nul", "bad utf-8 \xff"} {
		e := Event(fmt.Sprint("h", i), 1)
		e.Subject = "jobs.batch/" + name
		o := &e.Data.Object
		o.Namespace, o.Name, o.Group, e.Data.Cluster.Name, e.Data.To, e.Data.Message = name, name, name, name, name, name
		send(t, s, e)
	}
	all := b.Messages(t)
	if len(all) != 7 {
		t.Fatalf("got %d messages, want 7", len(all))
	}
	for i := range all {
		id := all[i].Attributes["id"]
		if !strings.HasPrefix(id, "h") || !strings.HasSuffix(id, ".1") {
			t.Errorf("got the ID %q", id)
		}
		if !json.Valid(all[i].Body) {
			t.Errorf("%s: the body is not JSON: %q", id, all[i].Body)
		}
	}
}

// large sends the largest events, many at once.
func large(t *testing.T, b Broker) {
	s := sinkOf(t, b, stream.Structured)
	var round []stream.Event
	for i := range 20 {
		e := Event(fmt.Sprint("l", i), 1)
		e.Data.Object.Labels = map[string]string{}
		for j := range 300 {
			e.Data.Object.Labels[fmt.Sprint("label-", j)] = strings.Repeat("y", 800)
		}
		round = append(round, e)
	}
	send(t, s, round...)
	for _, m := range b.Messages(t) {
		if _, d := decode(t, &m); len(d.Object.Labels) != 300 || len(m.Body) > stream.MaxEvent {
			t.Errorf("got %d labels in %d bytes", len(d.Object.Labels), len(m.Body))
		}
	}
}

// outage sends while the broker is away, and after it has come back.
func outage(t *testing.T, b Broker) {
	s := sinkOf(t, b, stream.Binary)
	send(t, s, Event("a", 1))
	b.Stop(t)
	ctx := patience.Context(t, "the error of a broker that is away")
	failed := s.Send(ctx, []stream.Event{Event("a", 2)})
	if failed == nil || ctx.Err() != nil {
		t.Errorf("without a broker: got error %v, and the context %v; want an error of the sink", failed, ctx.Err())
	}
	b.Start(t)
	send(t, s, Event("a", 2))
	send(t, s, Event("a", 3))
	first := firstAppearances(b.Messages(t))
	if fmt.Sprint(first) != "[a.1 a.2 a.3]" {
		t.Errorf("got events %v, want a.1, a.2 and a.3 in this order", first)
	}
}

// firstAppearances returns the IDs of messages without repetitions.
func firstAppearances(all []Message) (ids []string) {
	seen := map[string]bool{}
	for _, m := range all {
		if id := m.Attributes["id"]; !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// cancelled checks that Send returns when its context ends.
func cancelled(t *testing.T, b Broker) {
	s := sinkOf(t, b, stream.Binary)
	b.Stop(t)
	defer b.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		for {
			if err := s.Send(ctx, []stream.Event{Event("a", 1)}); err == nil || ctx.Err() != nil {
				ended <- err
				return
			}
		}
	}()
	if patience.Receive(t, "Send returns when its context has ended", ended) == nil {
		t.Error("a broker that is away stored an event")
	}
}

// replica sends the same events with two sinks, as a replica that takes over does.
func replica(t *testing.T, b Broker) {
	one, two := sinkOf(t, b, stream.Binary), sinkOf(t, b, stream.Binary)
	send(t, one, Event("a", 1))
	send(t, two, Event("a", 1))
	send(t, two, Event("a", 2))
	if first := firstAppearances(b.Messages(t)); fmt.Sprint(first) != "[a.1 a.2]" {
		t.Errorf("got events %v, want a.1 and a.2", first)
	}
}
