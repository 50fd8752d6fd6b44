package certmanager_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"go.uber.org/goleak"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/vedette-io/vedette/compat/controllerruntime"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/outcome"
	"github.com/vedette-io/vedette/internal/patience"
)

func TestMain(m *testing.M) {
	// Controller-runtime's own informers leak this goroutine. Ours do not.
	filter := goleak.IgnoreTopFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop")
	goleak.VerifyTestMain(m, controlplane.IgnoreSpawner(), filter)
}

const (
	namespace = "default"
	webhooks  = 500
)

// TestInjector: the cainjector puts the certificate of a Secret into each webhook
// configuration that requests it, follows changes of the Secret, and does not change
// other configurations.
func TestInjector(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	kube, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kube.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	for _, run := range []struct {
		name     string
		newCache cache.NewCacheFunc
	}{{"stock", cache.New}, {"vedette", controllerruntime.NewCache}} {
		t.Run(run.name, func(t *testing.T) {
			before := outcome.Heap()
			inject(t, c.RESTConfig(), run.newCache)
			w := &world{Interface: kube, name: run.name}
			w.setSecret(t, "first")
			w.createWebhooks(t)
			w.await(t, "first")
			w.setSecret(t, "second")
			w.await(t, "second")
			grown := outcome.SettledHeap(t.Context()) - before
			t.Logf("%d configurations: %.1f MB more heap after a collection than before the manager began (%.1f MB)", webhooks, grown, before)
			w.clear(t)
		})
	}
}

// inject runs the cainjector until the test ends.
func inject(t *testing.T, cfg *rest.Config, newCache cache.NewCacheFunc) {
	t.Helper()
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "cainjector/1.21.0" // its name becomes the field manager of applied objects
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), apiextensions.AddToScheme(types), certmanager.AddToScheme(types)); err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: types, NewCache: newCache, Logger: klog.Background(),
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
		// As in cert-manager, whose cache has only metadata of Secrets.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = cainjector.RegisterAllInjectors(t.Context(), mgr, cainjector.SetupOptions{EnabledReconcilersFor: map[string]bool{
		cainjector.ValidatingWebhookConfigurationName: true, cainjector.MutatingWebhookConfigurationName: true, cainjector.CustomResourceDefinitionName: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the manager ended with %v", err)
		}
		mgr.GetHTTPClient().CloseIdleConnections()
	})
}

// world is the cluster of the injector.
type world struct {
	kubernetes.Interface
	name string
}

// setSecret creates the Secret, or changes its certificate.
func (w *world) setSecret(t *testing.T, certificate string) {
	t.Helper()
	secrets := w.CoreV1().Secrets(namespace)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: w.name, Annotations: map[string]string{"cert-manager.io/allow-direct-injection": "true"}},
		Data:       map[string][]byte{"ca.crt": []byte(certificate)},
	}
	_, err := secrets.Create(t.Context(), secret, metav1.CreateOptions{})
	if err != nil {
		_, err = secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// createWebhooks creates configurations. Every second one requests the certificate.
func (w *world) createWebhooks(t *testing.T) {
	t.Helper()
	for i := range webhooks {
		hook := &admissionv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", w.name, i), Labels: map[string]string{"of": w.name}, Annotations: map[string]string{}},
			Webhooks: []admissionv1.ValidatingWebhook{{
				Name: "hook.example.com", SideEffects: new(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
				ClientConfig: admissionv1.WebhookClientConfig{URL: new("https://example.com/")},
				Rules: []admissionv1.RuleWithOperations{{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"v1"}, Resources: []string{"nothing"}},
				}},
			}},
		}
		if asks(i) {
			hook.Annotations["cert-manager.io/inject-ca-from-secret"] = namespace + "/" + w.name
		}
		if _, err := w.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(), hook, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func asks(i int) bool { return i%2 == 0 }

// await waits until exactly the requesting configurations have the certificate.
func (w *world) await(t *testing.T, certificate string) {
	t.Helper()
	patience.Until(t, certificate+" is injected", func() string {
		for i := range webhooks {
			hook, err := w.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(t.Context(), fmt.Sprintf("%s-%d", w.name, i), metav1.GetOptions{})
			if err != nil {
				return err.Error()
			}
			want := certificate
			if !asks(i) {
				want = ""
			}
			if got := hook.Webhooks[0].ClientConfig.CABundle; !bytes.Equal(got, []byte(want)) {
				return fmt.Sprintf("%s has the certificate %q, want %q", hook.Name, got, want)
			}
		}
		return ""
	})
}

// clear removes the objects of this run, so that the next one starts empty.
func (w *world) clear(t *testing.T) {
	t.Helper()
	err := w.AdmissionregistrationV1().ValidatingWebhookConfigurations().DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "of=" + w.name})
	if err != nil {
		t.Fatal(err)
	}
}
