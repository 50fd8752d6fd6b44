package stream_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/send/stream"
	"github.com/vedette-io/vedette/wire"
)

// transition returns a transition with any text.
func transition(t *rapid.T) *feed.Transition {
	text := rapid.String()
	at := func() time.Time { return time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "at")) }
	out := &feed.Transition{
		Position: feed.Position(rapid.Int64Range(1, 1<<40).Draw(t, "position")),
		Kind:     rapid.SampledFrom([]feed.Kind{feed.New, feed.Late, feed.Corrected, feed.Decided}).Draw(t, "kind"),
		Version:  wire.Version(rapid.Uint64Range(1, 1<<60).Draw(t, "version")),
		Object: feed.Object{
			Cluster: text.Draw(t, "cluster"), ClusterUID: text.Draw(t, "cluster UID"), UID: text.Draw(t, "UID"), Namespace: text.Draw(t, "namespace"), Name: text.Draw(t, "name"),
			Type: feed.Type{Group: text.Draw(t, "group"), Resource: text.Draw(t, "resource"), Kind: text.Draw(t, "object kind")}, Created: at(),
			Labels: rapid.MapOf(text, text).Draw(t, "labels"), Owner: feed.Owner{UID: text.Draw(t, "owner")},
		},
	}
	if rapid.Bool().Draw(t, "a job") || out.Kind == feed.Decided {
		out.Object.Status = &job.Status{State: job.Restarting, Reason: text.Draw(t, "status reason"), Message: text.Draw(t, "status message"), At: at()}
	}
	if out.Kind == feed.Decided {
		return out
	}
	if out.Withdrawn = out.Kind == feed.Corrected && rapid.Bool().Draw(t, "withdrawn"); out.Withdrawn {
		return out
	}
	out.From, out.To = job.Queued, rapid.SampledFrom([]job.State{job.Running, job.Failed, job.Deleted}).Draw(t, "to")
	out.Reason, out.Message, out.Happened, out.Seen = text.Draw(t, "reason"), text.Draw(t, "message"), at(), at()
	out.Source = rapid.SampledFrom([]feed.Source{feed.Watched, feed.Listed, feed.Relisted, feed.Inferred, feed.Reshown}).Draw(t, "source")
	return out
}

// TestSchema checks that the data of any transition satisfies the schema.
func TestSchema(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(stream.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(stream.SchemaURL, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(stream.SchemaURL)
	if err != nil {
		t.Fatal(err)
	}
	properties := document.(map[string]any)["properties"].(map[string]any)
	testinput.Check(t, func(t *rapid.T) {
		e := stream.NewEvent(transition(t))
		body, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		for name := range value.(map[string]any) {
			if properties[name] == nil {
				t.Fatalf("the schema does not have %s", name)
			}
		}
		const safe = "-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		if strings.Trim(e.ID, safe) != "" || strings.Trim(e.Unique(), safe) != "" || len(e.Unique()) > 200 {
			t.Fatalf("got ID %q and unique ID %q", e.ID, e.Unique())
		}
	})
}

// TestIDs checks which events have the same ID.
func TestIDs(t *testing.T) {
	base := func() *feed.Transition {
		return &feed.Transition{Position: 5, Kind: feed.New, Version: 7, To: job.Running, Object: feed.Object{UID: "a", ClusterUID: "c"}}
	}
	id := func(change func(tr *feed.Transition)) string {
		tr := base()
		change(tr)
		e := stream.NewEvent(tr)
		return e.ID
	}
	first := id(func(*feed.Transition) {})
	if first != "a.7" {
		t.Errorf("got ID %q, want a.7", first)
	}
	// After a restore of the database, a transition has another position, and may be late.
	if got := id(func(tr *feed.Transition) { tr.Position, tr.Kind, tr.From = 9, feed.Late, job.Queued }); got != first {
		t.Errorf("got ID %q for the same transition, want %q", got, first)
	}
	corrected := id(func(tr *feed.Transition) { tr.Kind = feed.Corrected })
	other := id(func(tr *feed.Transition) { tr.Kind, tr.From = feed.Corrected, job.Queued })
	later := id(func(tr *feed.Transition) { tr.Kind, tr.Position = feed.Corrected, 6 })
	withdrawn := id(func(tr *feed.Transition) { tr.Kind, tr.Withdrawn = feed.Corrected, true })
	decided := func(position feed.Position, reason string) string {
		return id(func(tr *feed.Transition) {
			tr.Position, tr.Kind, tr.To, tr.Object.Status = position, feed.Decided, "", &job.Status{State: job.Restarting, Reason: reason}
		})
	}
	if decided(8, "Error") != decided(9, "Error") {
		t.Error("two entries that have the same status give two events")
	}
	ids := map[string]bool{first: true, corrected: true, other: true, later: true, withdrawn: true, decided(8, "Error"): true, decided(8, "CrashLoopBackOff"): true}
	if len(ids) != 7 {
		t.Errorf("got IDs %v, want seven different ones", ids)
	}
}

// TestLimit checks that an event keeps to its limit, and tells which fields it lacks.
func TestLimit(t *testing.T) {
	labels := map[string]string{}
	for range 10_000 {
		labels[strings.Repeat("k", len(labels)%250)+string(rune('a'+len(labels)%26))] = strings.Repeat("v", 60)
	}
	labels["large"] = strings.Repeat("v", 300<<10)
	e := stream.NewEvent(&feed.Transition{Version: 1, Message: strings.Repeat("界", 100<<10), Object: feed.Object{UID: "a", Labels: labels}})
	text, err := e.Structured()
	if err != nil || len(text) > stream.MaxEvent {
		t.Fatalf("got %d bytes and error %v, want at most %d", len(text), err, stream.MaxEvent)
	}
	var got struct{ Data stream.Data }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if d := got.Data; d.Object.Labels != nil || !strings.HasPrefix(d.Message, "界") || strings.Contains(d.Message, "\ufffd") || len(d.Truncated) != 2 {
		t.Errorf("got %d labels, %d bytes of the message and %v as truncated", len(d.Object.Labels), len(d.Message), d.Truncated)
	}
	for _, mode := range []stream.Mode{stream.Binary, stream.Structured} {
		for _, most := range []int{100_000, 20_000, 3_000} {
			body, _, headers, fits, err := mode.Message(&e, most)
			size := len(body)
			for _, h := range headers {
				size += len(h.Name) + len(h.Value)
			}
			if err != nil || !fits || size > most {
				t.Errorf("mode %d: got %d bytes, fits %v, error %v; want at most %d", mode, size, fits, err, most)
			}
		}
		if _, _, _, fits, err := mode.Message(&e, 500); fits || err != nil {
			t.Errorf("mode %d: the event fits into 500 bytes, error %v", mode, err)
		}
	}
	if len(e.Data.Object.Labels) == 0 || len(e.Data.Truncated) != 0 {
		t.Error("the event itself was changed")
	}
}

func TestParseMode(t *testing.T) {
	for name, want := range map[string]stream.Mode{"binary": stream.Binary, "structured": stream.Structured} {
		if got, err := stream.ParseMode(name); got != want || err != nil {
			t.Errorf("%s: got %v and error %v", name, got, err)
		}
	}
	if _, err := stream.ParseMode("text"); err == nil {
		t.Error("the mode text was accepted")
	}
}
