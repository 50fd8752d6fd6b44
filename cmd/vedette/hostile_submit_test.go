package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
)

// submitting uses hostile files, templates, logs and jobs.
func (h *hostile) submitting(t *testing.T) {
	srv := recordable(t, apitest.Config{})
	dir := t.TempDir()
	write := func(name string, content any) string {
		t.Helper()
		text, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(inASCII(string(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	object := map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "train", "namespace": "ml", "annotations": map[string]any{"note": evil}},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"restartPolicy": "Never", "containers": []any{map[string]any{"name": "main", "image": evil}}}}},
	}
	job := write("job.yaml", object)
	for _, format := range [][]string{{"--dry-run"}, {"-o", "yaml"}, {"-o", "json"}, {"-o", "name"}, {}} {
		if out, errs, code := h.run(append([]string{"submit", "-f", job, "--key", "k", "--kubeconfig", srv.kubeconfig}, format...)...); code != 0 || out == "" {
			t.Errorf("submit %q: exit code %d, output %s%s; want 0 and some output", format, code, out, errs)
		}
	}
	h.run("submit", "-f", write("wrong.yaml", map[string]any{"apiVersion": evil, "kind": evil, evil: evil}), "--kubeconfig", srv.kubeconfig)
	for _, flag := range []string{"--image", "--name", "--gpus", "--cpus", "--memory", "--queue", "--env", "--set", "--key", "--template", "-n", "-f"} {
		h.run("submit", "--image", "i", "--kubeconfig", srv.kubeconfig, flag, evil, "--", evil)
	}

	pod := newPod("ml", "train-x", "job-name")
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: srv.uid(newJob("ml", "train")), Controller: new(true)}}
	pod.Spec.NodeName = "node"
	pod.Status.Phase = corev1.PodRunning
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	srv.create(pod)
	if err := srv.WriteLog("ml", "train-x", "main", strings.ReplaceAll(evil, "\nFORGED row\tcell", "")+"\n"); err != nil {
		t.Fatal(err)
	}
	for _, format := range [][]string{{}, {"-o", "ndjson"}, {"-o", "json"}, {"--timestamps", "--prefix", "always", "--color", "never"}} {
		if out, errs, code := h.run(append([]string{"logs", "job/train", "-n", "ml", "--kubeconfig", srv.kubeconfig}, format...)...); code != 0 || out == "" {
			t.Errorf("logs %q: exit code %d, output %s%s; want 0 and some output", format, code, out, errs)
		}
	}
	for _, flag := range []string{"-c", "--pod", "--attempt", "--since", "--db", "-n"} {
		h.run("logs", "job/train", "-n", "ml", "--kubeconfig", srv.kubeconfig, flag, evil)
	}
	h.run("logs", evil, "-n", "ml", "--kubeconfig", srv.kubeconfig)

	object["metadata"] = map[string]any{"name": "train"}
	own := write("own.yaml", map[string]any{
		"name": "own", "title": evil, "description": evil, "type": "jobs.batch", "object": object,
		"parameters": []any{map[string]any{"name": "a", "help": evil, "default": evil}},
	})
	for _, args := range [][]string{
		{"ls"}, {"ls", "-o", "wide"}, {"ls", "-o", "json"}, {"ls", "-o", "yaml"}, {"ls", "-o", "csv"}, {"ls", "-o", "ndjson"}, {"ls", "-o", "name"}, {"ls", "-o", "jsonpath={.title}"}, {"show", "own"}, {"show", "own", "-o", "yaml"}, {"show", "own", "-o", "json"}, {"show", evil},
	} {
		h.run(append(append([]string{"template"}, args...), "--templates", dir, "--kubeconfig", srv.kubeconfig)...)
	}
	for _, args := range [][]string{{own}, {own, "-o", "yaml"}, {own, "--set", evil}, {job}, {evil}} {
		h.run(append([]string{"template", "check"}, args...)...)
	}

	for _, format := range [][]string{{"--dry-run"}, {"-o", "name"}, {}} {
		h.run(append([]string{"cancel", "job/train", "-n", "ml", "--reason", "r", "--kubeconfig", srv.kubeconfig}, format...)...)
	}
	for _, args := range [][]string{{evil}, {"job/train", "--reason", evil}, {"-l", evil}} {
		h.run(append([]string{"cancel", "-n", "ml", "--kubeconfig", srv.kubeconfig}, args...)...)
	}
	for _, args := range [][]string{{"job/train"}, {"job/train", "-o", "name"}, {evil}, {"job/train", "-o", evil}} {
		h.run(append([]string{"release", "-n", "ml", "--kubeconfig", srv.kubeconfig}, args...)...)
	}
	for _, args := range [][]string{
		{"job/train", "--dry-run"},
		{"job/train", "-o", "yaml"},
		{"job/train", "-o", "json"},
		{"job/train", "-o", "name"},
		{"job/train"},
		{evil},
		{"job/train", "--set", evil},
		{"job/train", "--set", "image=" + evil},
		{"job/train", "--name", evil},
		{"job/train", "--key", evil},
		{"job/train", "--db", evil},
	} {
		h.run(append([]string{"retry", "-n", "ml", "--kubeconfig", srv.kubeconfig}, args...)...)
	}
}

// uid returns the UID of an object.
func (p *platform) uid(of apitest.Object) types.UID {
	p.t.Helper()
	found, err := p.Get(of)
	if err != nil {
		p.t.Fatal(err)
	}
	return found.GetUID()
}

// inASCII escapes all characters of JSON that YAML does not allow in plain text.
func inASCII(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
