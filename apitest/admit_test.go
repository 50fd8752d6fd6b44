package apitest_test

import (
	"crypto/tls"
	"errors"
	"net/http"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vedette-io/vedette/apitest"
)

// TestAdmit: Admit changes and rejects objects that clients create, replace and patch, and is not called for status.
func TestAdmit(t *testing.T) {
	srv := start(t, apitest.Config{Admit: func(r apitest.Request, obj metav1.Object) error {
		job, ok := obj.(*batchv1.Job)
		switch {
		case !ok:
			return nil
		case job.Labels["queue"] == "":
			return errors.New("exceeded quota: none")
		case job.Labels["queue"] == "odd":
			return apierrors.NewBadRequest("an odd queue")
		case r.Verb == apitest.VerbCreate:
			suspend := true
			job.Spec.Suspend = &suspend
		}
		return nil
	}})
	ctx, client := background(t), clientset(t, srv.RESTConfig()).BatchV1().Jobs("default")
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j"}}
	if _, err := client.Create(ctx, job, metav1.CreateOptions{}); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `jobs.batch "j" is forbidden: exceeded quota: none`) {
		t.Errorf("create without a queue: got %v", err)
	}
	job.Labels = map[string]string{"queue": "gpu"}
	for _, o := range []metav1.CreateOptions{{DryRun: []string{metav1.DryRunAll}}, {}} {
		if created, err := client.Create(ctx, job, o); err != nil || created.Spec.Suspend == nil || !*created.Spec.Suspend {
			t.Errorf("create with %v: got %v and error %v, want it suspended", o, created, err)
		}
	}
	if _, err := client.Patch(ctx, "j", types.MergePatchType, []byte(`{"metadata":{"labels":{"queue":null}}}`), metav1.PatchOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("patch: got %v, want it forbidden", err)
	}
	job.Labels["queue"] = "odd"
	if _, err := client.Update(ctx, job, metav1.UpdateOptions{}); !apierrors.IsBadRequest(err) {
		t.Errorf("update: got %v, want a bad request", err)
	}
	job.Labels = nil
	job.Status.Active = 1
	if got, err := client.UpdateStatus(ctx, job, metav1.UpdateOptions{}); err != nil || got.Status.Active != 1 || len(got.Labels) > 0 {
		t.Errorf("update of the status: got %v and error %v, want 1 active and no label: the status of a Job can change labels, without admission", got, err)
	}
	if _, err := srv.Create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "free"}}); err != nil {
		t.Errorf("Create without HTTP: got %v", err)
	}
}

// TestCheckNamespaces: clients cannot create an object in a namespace that does not exist, not even in a dry run.
func TestCheckNamespaces(t *testing.T) {
	srv := start(t, apitest.Config{CheckNamespaces: true})
	client, ctx := clientset(t, srv.RESTConfig()), background(t)
	for _, o := range []metav1.CreateOptions{{DryRun: []string{metav1.DryRunAll}}, {}} {
		_, err := client.CoreV1().Pods("default").Create(ctx, pod("a"), o)
		if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `namespaces "default" not found`) {
			t.Errorf("create with %v in a missing namespace: got %v, want it not found", o, err)
		}
	}
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods("default").Create(ctx, pod("a"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

// TestFieldValidation: an unknown field is rejected, causes a warning, or is ignored.
func TestFieldValidation(t *testing.T) {
	srv := start(t, apitest.Config{})
	client := rawClient(t, srv)
	for how, want := range map[string]struct {
		code    int
		warning string
	}{
		"":                        {201, `299 - "unknown field \"spec.nope\""`},
		"?fieldValidation=Warn":   {201, `299 - "unknown field \"spec.nope\""`},
		"?fieldValidation=Ignore": {201, ""},
		"?fieldValidation=Strict": {400, ""},
	} {
		body := strings.NewReader(`{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a-"},"spec":{"nope":1}}`)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://apitest/api/v1/namespaces/default/pods"+how, body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", acceptJSON)
		response, err := client.http.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want.code || response.Header.Get("Warning") != want.warning {
			t.Errorf("field validation %q: got status %d and warning %q, want %d and %q", how, response.StatusCode, response.Header.Get("Warning"), want.code, want.warning)
		}
	}
}

// TestListenTLS: only clients that trust the certificate can connect, also after the server was unavailable.
func TestListenTLS(t *testing.T) {
	srv := start(t, apitest.Config{Tokens: map[string]string{"secret": "alice"}})
	create(t, srv, pod("a"))
	url, authority, err := srv.ListenTLS("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	list := func(tls rest.TLSClientConfig) error {
		_, err := clientset(t, &rest.Config{Host: url, BearerToken: "secret", TLSClientConfig: tls, QPS: -1}).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
		return err
	}
	for range 2 {
		if err := list(rest.TLSClientConfig{CAData: authority}); err != nil {
			t.Error(err)
		}
		if unknown := (*tls.CertificateVerificationError)(nil); !errors.As(list(rest.TLSClientConfig{}), &unknown) {
			t.Error("a client without the authority trusts the certificate")
		}
		srv.Unavailable()
		if err := srv.Available(); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := srv.ListenTLS("localhost:0"); !errors.Is(err, apitest.ErrConfig) {
		t.Errorf("ListenTLS: got error %v, want %v", err, apitest.ErrConfig)
	}
}

// TestKubeconfig: a client with the kubeconfig is the user of its token.
func TestKubeconfig(t *testing.T) {
	srv := start(t, apitest.Config{Tokens: map[string]string{"secret": "alice"}})
	text, err := srv.Kubeconfig("secret")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.RESTConfigFromKubeConfig(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clientset(t, cfg).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if all := srv.Requests(); len(all) == 0 || all[len(all)-1].User != "alice" {
		t.Errorf("got %+v, want a request of alice", all)
	}
}

// TestHTTP2: clients that support HTTP/2 use it, and a fault ends the connection.
func TestHTTP2(t *testing.T) {
	srv := start(t, apitest.Config{Tokens: map[string]string{"secret": "alice"}})
	create(t, srv, pod("a"))
	url, authority, err := srv.ListenTLS("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := &rest.Config{Host: url, BearerToken: "secret", TLSClientConfig: rest.TLSClientConfig{CAData: authority}, QPS: -1}
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Get(url + "/api/v1/namespaces/default/pods/a")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.ProtoMajor != 2 || response.StatusCode != http.StatusOK {
		t.Errorf("got %s %s, want 200 by HTTP/2", response.Proto, response.Status)
	}
	pods := clientset(t, cfg).CoreV1().Pods("")
	events, err := pods.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if ev := <-events.ResultChan(); ev.Type != watch.Added {
		t.Errorf("got %s, want ADDED", ev.Type)
	}
	if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch}, Action: apitest.Cut(apitest.CutReset)}); err != nil {
		t.Fatal(err)
	}
	create(t, srv, pod("b"))
	for range events.ResultChan() { // until the connection ends
	}
	if list, err := pods.List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) != 2 {
		t.Errorf("got %d pods and %v, want 2 over a new connection", len(list.Items), err)
	}
}
