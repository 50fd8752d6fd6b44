package rules_test

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/rules"
)

const casting = `
rules:
- group: smithy.example
  kind: Casting
  resource: castings
  pods: {label: smithy.example/casting, label-value: status.run, indirect: true, sets: [{count: spec.workers, template: spec.worker}]}
  suspend: spec.paused
  hold: {field: [metadata, annotations, smithy.example/hold], on: "yes"}
  stop: {field: spec.mode, on: Scrapped, off: Active}
  of-run: [spec.furnace]
  states:
  - {when: object.status.step == "Cracked", state: Failed, reason: object.status.why}
`

// TestDefine: a defined kind has the states, pods and fields of its rule for the whole
// program, and the states of other objects from their phase.
func TestDefine(t *testing.T) {
	r, err := rules.Parse("f", []byte(casting))
	if err == nil {
		err = r.Define()
	}
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	object := func(spec, status m) m {
		return m{"apiVersion": "smithy.example/v2", "kind": "Casting", "metadata": m{"name": "bell"}, "spec": spec, "status": status}
	}
	gpus := m{"spec": m{"containers": []any{m{"resources": m{"limits": m{"nvidia.com/gpu": "4"}}}}}}
	o := object(m{"workers": int64(2), "worker": gpus, "paused": true, "mode": "Scrapped", "furnace": "f", "color": "red"}, m{"run": "bell-3", "step": "Cracked", "why": "Cold"})
	k := job.KindOfType("castings.smithy.example")
	if k == nil || !job.IsJobType("castings.smithy.example") || job.Types()[0] != "castings.smithy.example" {
		t.Fatalf("the kind is %+v, the types of jobs %v", k, job.Types())
	}
	if s := job.ReadStatus(o); s.State != job.Failed || s.Reason != "Cold" {
		t.Errorf("got %+v, want Failed with reason Cold", s)
	}
	if s := job.ReadSpec(o); s.GPUs != 8 || s.Pods != 2 || s.PodLabels["smithy.example/casting"] != "bell-3" {
		t.Errorf("got %d GPUs, %d pods, label %v; want 8, 2, bell-3", s.GPUs, s.Pods, s.PodLabels)
	}
	for _, s := range []job.Status{job.ReadStatus(object(m{"paused": true}, nil)), r.Of(object(m{"paused": true}, nil))} {
		if s.State != job.Suspended { // no clause fits, and its operator has written nothing
			t.Errorf("got %+v, want Suspended", s)
		}
	}
	if s := job.ReadStatus(object(m{}, m{"phase": "Running"})); s.State != job.Running {
		t.Errorf("got %+v, want the state of its phase", s)
	}
	k.Forget(o)
	if spec := job.Object(o).Map("spec"); len(spec) != 3 || spec["color"] != "red" {
		t.Errorf("a copy has the spec %v, want neither paused, mode nor furnace", spec)
	}
	if k.Hold.On != "yes" || k.Hold.Off != nil || k.Stop.Off != "Active" || k.Suspend.On != true || k.Suspend.Off != false {
		t.Errorf("got hold %+v, stop %+v, suspend %+v", k.Hold, k.Stop, k.Suspend)
	}
	builtIn, err := rules.Parse("f", []byte("rules:\n- {group: batch, kind: Job, resource: jobs, states: [{when: true}]}"))
	if err == nil {
		err = builtIn.Define()
	}
	if err == nil || !strings.Contains(err.Error(), "jobs.batch: it is built in") {
		t.Errorf("got %v, want that jobs.batch is built in", err)
	}
}

// TestKindMistakes: mistakes of the fields of a kind, with their lines.
func TestKindMistakes(t *testing.T) {
	const rule = "rules:\n- kind: X\n  states: [{when: true}]\n  resource: xs\n"
	for _, c := range []struct{ name, text, want string }{
		{"no resource", "rules:\n- kind: X\n  states: [{when: true}]\n  suspend: spec.a", "f:4: suspend is of no use without resource"},
		{"a group in the resource", "rules:\n- kind: X\n  states: [{when: true}]\n  resource: xs.example.com", `resource "xs.example.com": it must be the plural`},
		{"a field of the status", rule + "  stop: {field: status.a, on: b}", "f:5: stop: the field must be in spec"},
		{"no value", rule + "  stop: {field: spec.a}", "f:5: stop needs field, such as spec.state, and on, its value"},
		{"a number", rule + "  stop: {field: spec.a, on: 7}", "f:5: on must be true, false or a text"},
		{"no path", rule + "  suspend: spec..a", `f:5: suspend: "spec..a" is no path`},
		{"a value without a label", rule + "  pods: {label-value: status.a}", "f:5: label-value is of no use without label"},
		{"no template", rule + "  pods: {sets: [{count: spec.n}]}", "f:5: template is missing"},
		{"another field", rule + "  pods: {selector: a}", `has no field "selector"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := rules.Parse("f", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
