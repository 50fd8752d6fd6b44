// Package webhook runs webhooks behind a real API server.
package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/manager"
	"github.com/vedette-io/vedette/platform/submit/manifest"
	"github.com/vedette-io/vedette/webhook"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// world is a control plane with a program that serves webhooks.
type world struct {
	t       *testing.T
	cluster *kube.Cluster
	server  *webhook.Server
	dir     string // the certificate in use
	next    string // another certificate
	bundle  string // caBundle
}

// start starts a control plane, and a manager with webhooks.
func start(t *testing.T, handlers map[string]webhook.Handler) *world {
	t.Helper()
	plane := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, Nodes: -1})
	w := &world{t: t, dir: t.TempDir(), next: t.TempDir()}
	first, err := webhook.SelfSigned(w.dir, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	second, err := webhook.SelfSigned(w.next, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	w.bundle = base64.StdEncoding.EncodeToString(append(first, second...))
	w.server, err = webhook.New(webhook.Config{
		Listen: "127.0.0.1:0", CertFile: filepath.Join(w.dir, "tls.crt"), KeyFile: filepath.Join(w.dir, "tls.key"), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, h := range handlers {
		if err := w.server.Handle(path, h); err != nil {
			t.Fatal(err)
		}
	}
	m, err := manager.New(manager.Config{Name: "webhooks", Kube: kube.Config{REST: plane.RESTConfig()}, Listen: manager.NoListen, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.AddServer("webhooks", w.server.Run), m.AddCheck("webhooks", w.server.Ready), m.AddMetrics(w.server)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the manager ended with %v", err)
		}
	})
	patience.Until(t, "the webhooks are served", func() string { return text(m.Ready(ctx)) })
	if w.cluster, err = kube.Connect(kube.Config{REST: plane.RESTConfig()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.cluster.Close)
	return w
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// create creates the objects of a manifest.
func (w *world) create(text string) {
	w.t.Helper()
	all, err := manifest.Parse(w.t.Context(), "test.yaml", []byte(text))
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := manifest.Create(w.t.Context(), w.cluster, all...); err != nil {
		w.t.Fatal(err)
	}
}

// admission returns the configuration of an admission webhook for ConfigMaps with a label.
func (w *world) admission(kind, name, path, policy string) string {
	return fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: %s}
webhooks:
- name: %s.example.com
  clientConfig: {url: "https://%s%s", caBundle: %s}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE, DELETE]}]
  objectSelector: {matchLabels: {test: %s}}
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: %s
  timeoutSeconds: 5
---`, kind, name, name, w.server.Addr(), path, w.bundle, name, policy)
}

func configMap(name, test string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"test": test}}, Data: data}
}

// TestAdmission: an API server allows, denies and changes what the functions say, shows their
// warnings, and applies failurePolicy to their failures.
func TestAdmission(t *testing.T) {
	var deadline atomic.Int64
	w := start(t, map[string]webhook.Handler{
		"/validate": webhook.Validate(func(ctx context.Context, r *webhook.Request[corev1.ConfigMap]) error {
			if end, limited := ctx.Deadline(); limited {
				deadline.Store(int64(time.Until(end)))
			}
			switch {
			case r.Object == nil:
				return webhook.Deny("%s must stay", r.Old.Name)
			case r.Object.Data["size"] == "large":
				return field.Invalid(field.NewPath("data").Key("size"), "large", "must be small")
			}
			r.Warn("size %s is deprecated", r.Object.Data["size"])
			return nil
		}),
		"/mutate": webhook.Mutate(func(_ context.Context, r *webhook.Request[corev1.ConfigMap]) error {
			if r.Object != nil {
				metav1.SetMetaDataAnnotation(&r.Object.ObjectMeta, "by/who", r.UserInfo.Username)
				delete(r.Object.Data, "secret")
			}
			return nil
		}),
		"/fail": webhook.Validate(func(context.Context, *webhook.Request[corev1.ConfigMap]) error { return errors.New("no database") }),
	})
	w.create(w.admission("Validating", "check", "/validate", "Fail") + w.admission("Mutating", "change", "/mutate", "Fail") +
		w.admission("Validating", "fail", "/fail", "Fail") + w.admission("Validating", "ignore", "/fail", "Ignore"))
	maps, err := kube.For[corev1.ConfigMap](w.cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var warnings []string
	ctx := kube.WithWarnings(t.Context(), func(text string) { warnings = append(warnings, text) })
	n := 0
	patience.Until(t, "the webhook denies", func() string { // API servers read configurations with a delay
		n++
		_, err := maps.Create(ctx, configMap(fmt.Sprint("large-", n), "check", map[string]string{"size": "large"}))
		if apierrors.IsInvalid(err) && strings.Contains(err.Error(), `data[size]: Invalid value: "large": must be small`) {
			return ""
		}
		return fmt.Sprint("got ", err)
	})
	if got := time.Duration(deadline.Load()); got <= 0 || got > 5*time.Second {
		t.Errorf("the function had %v, want up to the 5 seconds of timeoutSeconds", got)
	}
	small, err := maps.Create(ctx, configMap("small", "check", map[string]string{"size": "small"}))
	if err != nil || len(warnings) != 1 || warnings[0] != "size small is deprecated" {
		t.Fatalf("got %v and the warnings %q, want one about small", err, warnings)
	}
	if err := maps.Delete(ctx, kube.KeyOf(small), kube.DeleteOptions{}); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "small must stay") {
		t.Errorf("got %v, want a denial of the deletion", err)
	}
	changed, err := maps.Create(ctx, configMap("changed", "change", map[string]string{"secret": "x", "other": "y"}))
	if err != nil || changed.Annotations["by/who"] == "" || len(changed.Data) != 1 || changed.Labels["test"] != "change" {
		t.Errorf("got %+v and %v, want an annotation and no secret", changed, err)
	}
	if _, err := maps.Create(ctx, configMap("fail", "fail", nil)); err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
		t.Errorf("got %v, want a failed webhook", err)
	}
	if _, err := maps.Create(ctx, configMap("ignored", "ignore", nil)); err != nil {
		t.Errorf("got %v, want no error: failurePolicy is Ignore", err)
	}
}

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: trainjobs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: TrainJob, plural: trainjobs}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://%s/convert", caBundle: %s}}
  versions:
  - {name: v1alpha1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// older and newer are the versions of the definition.
type older struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Workers int `json:"workers"`
}

type newer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Replicas int `json:"replicas"`
	} `json:"spec"`
}

// TestConversion: objects are written in one version, stored in another, listed and changed
// in both, while the certificate is replaced.
func TestConversion(t *testing.T) {
	w := start(t, map[string]webhook.Handler{"/convert": webhook.Convert(
		webhook.From("v1alpha1", "v1", func(from *older, to *newer) error {
			if from.Workers < 0 {
				return errors.New("workers is negative")
			}
			to.Spec.Replicas = from.Workers
			return nil
		}),
		webhook.From("v1", "v1alpha1", func(from *newer, to *older) error {
			to.Workers = from.Spec.Replicas
			return nil
		}),
	)})
	w.create(fmt.Sprintf(definition, w.server.Addr(), w.bundle))
	crds.Served(t, w.cluster, "trainjobs.example.com")
	client := func(version string) *kube.Client[unstructured.Unstructured] {
		c, err := kube.For[unstructured.Unstructured](w.cluster, kube.ClientConfig{Resource: "trainjobs." + version + ".example.com"})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	old, current := client("v1alpha1"), client("v1")
	const objects = 50
	for i := range objects {
		obj := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1alpha1", "kind": "TrainJob", "workers": int64(i),
			"metadata": map[string]any{"namespace": "default", "name": fmt.Sprintf("j%03d", i), "labels": map[string]any{"n": fmt.Sprint(i)}},
		}}
		if _, err := old.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"tls.key", "tls.crt"} {
		if err := os.Rename(filepath.Join(w.next, file), filepath.Join(w.dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	for version, c := range map[string]*kube.Client[unstructured.Unstructured]{"v1alpha1": old, "v1": current} {
		i := 0
		for obj, err := range c.List(t.Context(), kube.Where{}) {
			if err != nil {
				t.Fatal(err)
			}
			path := []string{"workers"}
			if version == "v1" {
				path = []string{"spec", "replicas"}
			}
			if n, _, err := unstructured.NestedInt64(obj.Object, path...); err != nil || n != int64(i) || obj.GetLabels()["n"] != fmt.Sprint(i) {
				t.Fatalf("%s: object %d is %v (%v)", version, i, obj.Object, err)
			}
			i++
		}
		if i != objects {
			t.Errorf("%s: got %d objects, want %d", version, i, objects)
		}
	}
	_, err := old.Mutate(t.Context(), wire.Key{Namespace: "default", Name: "j001"}, func(obj *unstructured.Unstructured) error {
		obj.Object["workers"] = int64(-1)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "workers is negative") {
		t.Errorf("got %v, want the error of the conversion", err)
	}
}
