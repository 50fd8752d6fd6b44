package main

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/history"
)

// foundryRules are the rules of a company's type. The types of a process are shared by all
// its tests, so no other test uses the group.
const foundryRules = `
rules:
- group: foundry.example
  kind: Casting
  resource: castings
  pods:
    label: foundry.example/casting
    indirect: true
    sets: [{count: spec.workers, template: spec.worker}]
  suspend: {field: spec.mode, on: Paused, off: Active}
  of-run: [spec.furnace]
  states:
  - when: object.status.step == "Paused"
    state: Suspended
    raw: object.status.step
  - when: object.status.step == "Cracked"
    state: Failed
    raw: object.status.step
    reason: object.status.why
  - when: object.status.step == "Pouring"
    state: Running
    raw: object.status.step
  - when: object.?status.step.orValue("") == ""
    state: Submitted
`

func casting(name, step, why string) *unstructured.Unstructured {
	worker := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{
		"name": "main", "image": "x", "resources": map[string]any{"limits": map[string]any{"nvidia.com/gpu": "4"}},
	}}}}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "foundry.example/v1", "kind": "Casting", "metadata": map[string]any{"namespace": "ml", "name": name},
		"spec":   map[string]any{"mode": "Active", "workers": int64(2), "furnace": "f-7", "worker": worker},
		"status": map[string]any{"step": step, "why": why},
	}}
}

// TestKindOfRules: a type that only a file of rules describes is recorded, listed with its
// GPUs, cancelled by its field, explained, held, released and retried like a built-in one, and its logs are
// read by its label and its controllers.
func TestKindOfRules(t *testing.T) {
	t.Parallel()
	types := []apitest.Type{{Group: "foundry.example", Version: "v1", Kind: "Casting", Namespaced: true}, {Group: "foundry.example", Version: "v1", Kind: "Mold", Namespaced: true}}
	srv := recordable(t, apitest.Config{Types: types})
	path := file(t, "rules.yaml", foundryRules)
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	r := start(t, "record", "castings", "--rules", path, "--kubeconfig", srv.kubeconfig, "--db", url)
	srv.create(casting("bell", "Pouring", ""), casting("bad", "Cracked", "Cold"))
	recordedAs(t, url, "castings.foundry.example", "bell", func(o history.Object) bool { return o.State == "Running" })
	recordedAs(t, url, "castings.foundry.example", "bad", func(o history.Object) bool { return o.State == "Failed" })

	say := func(want string, args ...string) string {
		t.Helper()
		out, said := ended(t, 0, append(args, "--rules", path, "--kubeconfig", srv.kubeconfig)...)
		if text := out + said; !strings.Contains(text, want) {
			t.Errorf("%v: got %s, want %q", args, text, want)
		}
		return out
	}
	for _, from := range [][]string{{"jobs", "-o", "json"}, {"jobs", "-o", "json", "--db", url, "--state", "Running,Failed"}} {
		out := say(`"castings.foundry.example"`, from...)
		for _, want := range []string{`"Running"`, `"Cold"`, `"gpus": 8`} {
			if !strings.Contains(out, want) {
				t.Errorf("%v: got %s, want %s", from, out, want)
			}
		}
	}

	bell := srv.object(t, "bell")
	mold := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "foundry.example/v1", "kind": "Mold", "metadata": map[string]any{"namespace": "ml", "name": "m"}}}
	mold.SetOwnerReferences(ownedBy(bell))
	made, err := srv.Create(mold)
	if err != nil {
		t.Fatal(err)
	}
	mold.SetUID(made.GetUID())
	srv.create(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "bell-0", Labels: map[string]string{"foundry.example/casting": "bell"}, OwnerReferences: ownedBy(mold)},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "x"}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}},
	})
	if err := srv.WriteLog("ml", "bell-0", "main", "glowing\n"); err != nil {
		t.Fatal(err)
	}
	say("glowing", "logs", "casting/bell", "-n", "ml")

	say("", "cancel", "casting/bell", "-n", "ml", "--reason", "wrong metal", "--yes")
	if mode := srv.mode(t, "bell"); mode != "Paused" {
		t.Errorf("the mode of a cancelled casting is %q, want Paused", mode)
	}
	paused := casting("bell", "Paused", "")
	if _, err := apitest.Modify(srv.Server, paused, func(o *unstructured.Unstructured) { o.Object["status"] = paused.Object["status"] }); err != nil {
		t.Fatal(err)
	}
	got := recordedAs(t, url, "castings.foundry.example", "bell", func(o history.Object) bool { return o.State == "Aborted" })
	if got.Reason != "Cancelled" || !strings.Contains(got.Message, "wrong metal") {
		t.Errorf("recorded as %+v, want Cancelled because of the wrong metal", got)
	}

	name := strings.TrimSpace(say("", "retry", "casting/bell", "-n", "ml", "-o", "name"))
	name = name[strings.LastIndex(name, "/")+1:]
	again := srv.object(t, name)
	if mode, _, _ := unstructured.NestedString(again.Object, "spec", "mode"); mode != "" {
		t.Errorf("the mode of the retry is %q, want none", mode)
	}
	if furnace, _, _ := unstructured.NestedString(again.Object, "spec", "furnace"); furnace != "" {
		t.Errorf("the retry has the furnace %q of the run before", furnace)
	}
	held := file(t, "held.json", `{"apiVersion": "foundry.example/v1", "kind": "Casting", "metadata": {"name": "held", "namespace": "ml"}, "spec": {"workers": 1}}`)
	say("", "submit", "-f", held, "--hold", "-n", "ml")
	if mode := srv.mode(t, "held"); mode != "Paused" {
		t.Errorf("the mode of a held casting is %q, want Paused", mode)
	}
	recordedAs(t, url, "castings.foundry.example", "held", func(o history.Object) bool { return o.State == "Suspended" })
	say("", "release", "casting/held", "-n", "ml")
	if mode := srv.mode(t, "held"); mode != "Active" {
		t.Errorf("the mode of a released casting is %q, want Active", mode)
	}
	r.interrupt()
}

// object returns a casting.
func (p *platform) object(t *testing.T, name string) (found *unstructured.Unstructured) {
	t.Helper()
	patience.Until(t, "the casting "+name, func() string {
		o, err := p.Get(casting(name, "", ""))
		if err != nil {
			return err.Error()
		}
		found, _ = o.(*unstructured.Unstructured)
		return ""
	})
	return found
}

func (p *platform) mode(t *testing.T, name string) string {
	t.Helper()
	mode, _, _ := unstructured.NestedString(p.object(t, name).Object, "spec", "mode")
	return mode
}

func ownedBy(o *unstructured.Unstructured) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Name: o.GetName(), UID: o.GetUID(), Controller: new(true)}}
}
