package webhook_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair writes a new self-signed certificate into a folder.
func pair(t testing.TB, dir, name string, life time.Duration) {
	t.Helper()
	if _, err := webhook.SelfSignedUntil(dir, time.Now().Add(life), name, "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
}

// record is a log that tests read.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(text)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *record) logger() *slog.Logger { return slog.New(slog.NewTextHandler(r, nil)) }

// newServer returns a server with handlers by path, and its log.
func newServer(t testing.TB, change func(*webhook.Config), handlers map[string]webhook.Handler) (*webhook.Server, *record) {
	t.Helper()
	dir := t.TempDir()
	pair(t, dir, "first", time.Hour)
	said := &record{}
	cfg := webhook.Config{
		Listen: "127.0.0.1:0", CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"), Logger: said.logger(),
	}
	if change != nil {
		change(&cfg)
	}
	s, err := webhook.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for path, h := range handlers {
		if err := s.Handle(path, h); err != nil {
			t.Fatal(err)
		}
	}
	return s, said
}

// post sends a body to a path.
func post(s *webhook.Server, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// review returns an AdmissionReview.
func review(operation admissionv1.Operation, obj, old string) string {
	if obj == "" {
		obj = "null"
	}
	if old == "" {
		old = "null"
	}
	return fmt.Sprintf(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","operation":%q,`+
		`"namespace":"default","name":"x","userInfo":{"username":"ann"},"object":%s,"oldObject":%s}}`, operation, obj, old)
}

// judged sends a review and returns the response.
func judged(t testing.TB, s *webhook.Server, path, body string) *admissionv1.AdmissionResponse {
	t.Helper()
	w := post(s, path, body)
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %s, want 200", w.Code, w.Body)
	}
	var got admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.APIVersion != "admission.k8s.io/v1" || got.Kind != "AdmissionReview" || got.Response == nil || got.Response.UID != "u1" {
		t.Fatalf("got %s, want a response to u1", w.Body)
	}
	return got.Response
}

const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","namespace":"default"},` +
	`"spec":{"containers":[{"name":"main","image":"train","futureField":{"a":1}}],"futureField":true}}`

// TestValidate: the function sees the request, and its error decides.
func TestValidate(t *testing.T) {
	var errs error
	s, _ := newServer(t, nil, map[string]webhook.Handler{
		"/pods": webhook.Validate(func(_ context.Context, r *webhook.Request[corev1.Pod]) error {
			switch {
			case r.Operation == admissionv1.Create && (r.Old != nil || r.Object.Spec.Containers[0].Image != "train"),
				r.Operation == admissionv1.Delete && (r.Object != nil || r.Old.Name != "x"),
				r.UserInfo.Username != "ann", r.Name != "x":
				return fmt.Errorf("the request is %+v", r)
			}
			r.Warn("%s is old", r.Name)
			r.Audit("why", "test")
			return errs
		}),
	})
	for _, body := range []string{review("CREATE", pod, ""), review("UPDATE", pod, pod), review("DELETE", "", pod)} {
		got := judged(t, s, "/pods", body)
		if !got.Allowed || len(got.Warnings) != 1 || got.Warnings[0] != "x is old" || got.AuditAnnotations["why"] != "test" || got.Patch != nil {
			t.Errorf("got %+v, want it allowed with a warning and an annotation", got)
		}
	}
	path := field.NewPath("spec", "replicas")
	invalidPod := apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "x", field.ErrorList{field.Required(path, "")})
	for name, c := range map[string]struct {
		err     error
		code    int32
		message string
		causes  int
	}{
		"deny":         {webhook.Deny("no %s", "way"), 403, "no way", 0},
		"wrapped":      {fmt.Errorf("quota: %w", webhook.Deny("full")), 403, "quota: full", 0},
		"status":       {webhook.DenyStatus(invalidPod.Status()), 422, `Pod "x" is invalid: spec.replicas: Required value`, 1},
		"empty status": {webhook.DenyStatus(metav1.Status{}), 403, "denied by a webhook", 0},
		"field":        {field.Invalid(path, 3, "too many"), 422, "spec.replicas: Invalid value: 3: too many", 1},
		"aggregate":    {field.ErrorList{field.Required(path, ""), field.Forbidden(path, "no")}.ToAggregate(), 422, "[spec.replicas: Required value, spec.replicas: Forbidden: no]", 2},
		"joined":       {errors.Join(field.Required(path, ""), webhook.Deny("full")), 422, "[spec.replicas: Required value, full]", 1},
	} {
		t.Run(name, func(t *testing.T) {
			errs = c.err
			got := judged(t, s, "/pods", review("CREATE", pod, ""))
			if got.Allowed || got.Result == nil || got.Result.Code != c.code || got.Result.Message != c.message || got.Result.Status != "Failure" {
				t.Fatalf("got %+v %+v, want %d %s", got, got.Result, c.code, c.message)
			}
			if d := got.Result.Details; (c.causes > 0) != (d != nil) || d != nil && len(d.Causes) != c.causes {
				t.Errorf("the details are %+v, want %d causes", d, c.causes)
			}
		})
	}
}

// TestFailures: an error that is not a denial, a panic, and a body that cannot be decoded are
// failures: the API server then applies failurePolicy.
func TestFailures(t *testing.T) {
	var fail func() error
	s, said := newServer(t, func(c *webhook.Config) { c.MaxBody = 1 << 16 }, map[string]webhook.Handler{
		"/pods": webhook.Mutate(func(_ context.Context, r *webhook.Request[corev1.Pod]) error {
			r.Object.Labels = map[string]string{"a": "b"}
			return fail()
		}),
	})
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "quotas"}, "q")
	for name, c := range map[string]struct {
		fail func() error
		body string
		code int
		text string
	}{
		"error":             {func() error { return errors.New("no database") }, review("CREATE", pod, ""), 500, "no database"},
		"error of a client": {func() error { return fmt.Errorf("read the quota: %w", gone) }, review("CREATE", pod, ""), 500, "not found"},
		"joined": {
			func() error { return errors.Join(webhook.Deny("no"), errors.New("no database")) },
			review("CREATE", pod, ""), 500, "no database",
		},
		"panic":        {func() error { panic("a secret") }, review("CREATE", pod, ""), 500, "has panicked"},
		"wrong type":   {nil, review("CREATE", `{"spec":{"containers":7}}`, ""), 500, "decode the object"},
		"not JSON":     {nil, "{", 400, "decode the AdmissionReview"},
		"null":         {nil, "null", 400, "not an AdmissionReview"},
		"other kind":   {nil, `{"apiVersion":"v1","kind":"Pod"}`, 400, "not an AdmissionReview"},
		"old version":  {nil, strings.Replace(review("CREATE", pod, ""), "k8s.io/v1", "k8s.io/v1beta1", 1), 400, "admissionReviewVersions"},
		"no request":   {nil, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`, 400, "no request"},
		"a large body": {nil, strings.Repeat(" ", 1<<16+1), 400, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			fail = c.fail
			w := post(s, "/pods", c.body)
			if w.Code != c.code || !strings.Contains(w.Body.String(), c.text) {
				t.Errorf("got %d %s, want %d and %q", w.Code, w.Body, c.code, c.text)
			}
			if strings.Contains(w.Body.String(), "a secret") {
				t.Errorf("the answer has the text of the panic: %s", w.Body)
			}
		})
	}
	if !strings.Contains(said.String(), "has panicked") || !strings.Contains(said.String(), "the webhook has failed") {
		t.Errorf("the log has no failure:\n%s", said)
	}
	lines := strings.Count(said.String(), "the webhook has failed")
	for range 100 {
		fail = func() error { return errors.New("no database") }
		post(s, "/pods", review("CREATE", pod, ""))
	}
	if more := strings.Count(said.String(), "the webhook has failed") - lines; more > 1 {
		t.Errorf("the same failure was logged %d times, want once", more)
	}
	if n := testutil.CollectAndCount(s); n == 0 {
		t.Error("there are no metrics")
	}
}

// TestMutate: the patch has the change of the function and keeps fields that the Go type does
// not have.
func TestMutate(t *testing.T) {
	s, _ := newServer(t, nil, map[string]webhook.Handler{
		"/typed": webhook.Mutate(func(_ context.Context, r *webhook.Request[corev1.Pod]) error {
			if r.Object == nil || r.Object.Labels["ready"] == "yes" {
				return nil
			}
			r.Object.Labels = map[string]string{"ready": "yes"}
			r.Object.Spec.Containers = append([]corev1.Container{{Name: "side"}}, r.Object.Spec.Containers...)
			return nil
		}),
		"/unstructured": webhook.Mutate(func(_ context.Context, r *webhook.Request[unstructured.Unstructured]) error {
			r.Object.SetLabels(map[string]string{"ready": "yes"})
			return nil
		}),
		"/nil": webhook.Mutate(func(_ context.Context, r *webhook.Request[corev1.Pod]) error {
			r.Object = nil
			return nil
		}),
		"/denies": webhook.Mutate(func(_ context.Context, r *webhook.Request[corev1.Pod]) error {
			r.Object.Labels = map[string]string{"a": "b"}
			return webhook.Deny("no")
		}),
	})
	for _, path := range []string{"/typed", "/unstructured"} {
		got := judged(t, s, path, review("CREATE", pod, ""))
		if !got.Allowed || got.PatchType == nil || *got.PatchType != admissionv1.PatchTypeJSONPatch {
			t.Fatalf("%s: got %+v, want a JSON patch", path, got)
		}
		if strings.Contains(string(got.Patch), "status") || strings.Contains(string(got.Patch), "creationTimestamp") {
			t.Errorf("%s: the patch has more than the change: %s", path, got.Patch)
		}
		if path == "/typed" && strings.Count(string(got.Patch), "futureField") != 1 {
			t.Errorf("%s: the patch loses a field of the container: %s", path, got.Patch)
		}
	}
	labeled := strings.Replace(pod, `"namespace":"default"`, `"namespace":"default","labels":{"ready":"yes"}`, 1)
	if got := judged(t, s, "/typed", review("UPDATE", labeled, pod)); !got.Allowed || got.Patch != nil {
		t.Errorf("got %+v, want no patch", got)
	}
	if got := judged(t, s, "/typed", review("DELETE", "", pod)); !got.Allowed || got.Patch != nil {
		t.Errorf("got %+v, want no patch", got)
	}
	if got := judged(t, s, "/denies", review("CREATE", pod, "")); got.Allowed || got.Patch != nil {
		t.Errorf("got %+v, want a denial without a patch", got)
	}
	if w := post(s, "/nil", review("CREATE", pod, "")); w.Code != http.StatusInternalServerError {
		t.Errorf("got %d, want 500", w.Code)
	}
}

// older, middle and newer are versions of one type.
type older struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Replicas int `json:"replicas"`
}

type middle struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Count int `json:"count"`
}

type newer struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Replicas int `json:"replicas"`
	} `json:"spec"`
}

var conversions = []webhook.Conversion{
	webhook.From("v1alpha1", "v1beta1", func(a *older, b *middle) error {
		if a.Replicas < 0 {
			return errors.New("replicas is negative")
		}
		b.Count = a.Replicas
		return nil
	}),
	webhook.From("v1beta1", "v1", func(a *middle, b *newer) error {
		b.Spec.Replicas = a.Count
		metav1.SetMetaDataAnnotation(&b.ObjectMeta, "converted", "yes")
		b.UID = "changed" // without effect
		return nil
	}),
	webhook.From("v1", "v1beta1", func(a *newer, b *middle) error {
		b.Count = a.Spec.Replicas
		b.Annotations = nil
		return nil
	}),
}

func conversionBody(desired string, objects ...string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u1","desiredAPIVersion":%q,"objects":[%s]}}`,
		desired, strings.Join(objects, ","))
}

// converted sends a review and returns the objects and the status.
func converted(t testing.TB, s *webhook.Server, body string) ([]string, metav1.Status) {
	t.Helper()
	w := post(s, "/convert", body)
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %s, want 200", w.Code, w.Body)
	}
	var got struct {
		APIVersion, Kind string
		Response         struct {
			UID              string
			ConvertedObjects []json.RawMessage
			Result           metav1.Status
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.APIVersion != "apiextensions.k8s.io/v1" || got.Kind != "ConversionReview" || got.Response.UID != "u1" {
		t.Fatalf("got %s, want a response to u1", w.Body)
	}
	var objects []string
	for _, raw := range got.Response.ConvertedObjects {
		objects = append(objects, string(raw))
	}
	return objects, got.Response.Result
}

// TestConvert: objects go through several conversions, keep their metadata, and fail
// together.
func TestConvert(t *testing.T) {
	s, _ := newServer(t, nil, map[string]webhook.Handler{"/convert": webhook.Convert(conversions...)})
	const metadata = `{"annotations":{"a":"b"},"labels":{"l":"m"},"managedFields":[{"manager":"x"}],"name":"x","uid":"42"}`
	object := func(version, rest string) string {
		return `{"apiVersion":"example.com/` + version + `","kind":"TrainJob","metadata":` + metadata + `,` + rest + `}`
	}
	got, status := converted(t, s, conversionBody("example.com/v1", object("v1alpha1", `"replicas":3`), object("v1", `"spec":{"replicas":4}`)))
	want := `{"apiVersion":"example.com/v1","kind":"TrainJob","metadata":` +
		strings.Replace(metadata, `"a":"b"`, `"a":"b","converted":"yes"`, 1) + `,"spec":{"replicas":3}}`
	if status.Status != "Success" || len(got) != 2 || got[0] != want || got[1] != object("v1", `"spec":{"replicas":4}`) {
		t.Errorf("got %v %+v,\nwant %s", got, status, want)
	}
	got, status = converted(t, s, conversionBody("example.com/v1beta1", object("v1", `"spec":{"replicas":4}`)))
	want = `{"apiVersion":"example.com/v1beta1","count":4,"kind":"TrainJob","metadata":` + strings.Replace(metadata, `"annotations":{"a":"b"},`, "", 1) + `}`
	if status.Status != "Success" || len(got) != 1 || got[0] != want {
		t.Errorf("got %v %+v,\nwant %s", got, status, want)
	}
	for name, c := range map[string]struct{ body, text string }{
		"no way":      {conversionBody("example.com/v1alpha1", object("v1", `"spec":{}`)), "no conversion between these versions"},
		"other group": {conversionBody("other.com/v1", object("v1", `"spec":{}`)), "no conversion between these versions"},
		"an error":    {conversionBody("example.com/v1", object("v1alpha1", `"replicas":1`), object("v1alpha1", `"replicas":-1`)), "convert /x from example.com/v1alpha1 to example.com/v1: replicas is negative"},
		"wrong type":  {conversionBody("example.com/v1", object("v1alpha1", `"replicas":"a"`)), "decode the object"},
		"null":        {conversionBody("example.com/v1", `null`), "it is null"},
	} {
		t.Run(name, func(t *testing.T) {
			got, status := converted(t, s, c.body)
			if len(got) > 0 || status.Status != "Failure" || !strings.Contains(status.Message, c.text) {
				t.Errorf("got %v %+v, want a failure with %q", got, status, c.text)
			}
		})
	}
	for _, body := range []string{"{", "null", `{"kind":"Pod"}`, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"}`} {
		if w := post(s, "/convert", body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400", body, w.Code)
		}
	}
}

// TestConfig: invalid configurations are errors of New and Handle.
func TestConfig(t *testing.T) {
	dir := t.TempDir()
	pair(t, dir, "x", time.Hour)
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for _, cfg := range []webhook.Config{
		{},
		{CertFile: cert},
		{CertFile: cert, KeyFile: cert},
		{CertFile: cert, KeyFile: "missing"},
		{CertFile: cert, KeyFile: key, MaxBody: -1},
		{CertFile: cert, KeyFile: key, Concurrent: -1},
		{CertFile: cert, KeyFile: key, Listen: "x"},
		{CertFile: cert, KeyFile: key, ClientCAFile: key},
	} {
		if _, err := webhook.New(cfg); err == nil {
			t.Errorf("New(%+v) has no error", cfg)
		}
	}
	s, _ := newServer(t, nil, map[string]webhook.Handler{"/taken": webhook.Convert()})
	if _, err := webhook.SelfSigned(dir); err == nil {
		t.Error("SelfSigned without hosts has no error")
	}
	if _, err := webhook.SelfSigned("missing", "localhost"); err == nil {
		t.Error("SelfSigned in a missing folder has no error")
	}
	same := webhook.From("v1", "v1", func(*older, *newer) error { return nil })
	for path, h := range map[string]webhook.Handler{
		"": webhook.Convert(), "x": webhook.Convert(), "/taken": webhook.Convert(), "/nil": nil,
		"/self": webhook.Convert(same), "/twice": webhook.Convert(conversions[0], conversions[0]),
	} {
		if err := s.Handle(path, h); err == nil {
			t.Errorf("Handle(%q) has no error", path)
		}
	}
}

// TestRequests: wrong paths, methods and content types are refused.
func TestRequests(t *testing.T) {
	s, _ := newServer(t, nil, map[string]webhook.Handler{"/convert": webhook.Convert()})
	for want, r := range map[int]*http.Request{
		http.StatusNotFound:             httptest.NewRequest(http.MethodPost, "/convert/../x", nil),
		http.StatusMethodNotAllowed:     httptest.NewRequest(http.MethodGet, "/convert", nil),
		http.StatusUnsupportedMediaType: httptest.NewRequest(http.MethodPost, "/convert", strings.NewReader("{}")),
	} {
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s %s: got %d, want %d", r.Method, r.URL, w.Code, want)
		}
	}
}

// TestTimeout: a function gets the time that the API server waits, and at most Concurrent
// functions run at a time.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newServer(t, func(c *webhook.Config) { c.Concurrent = 1 }, map[string]webhook.Handler{
			"/slow": webhook.Validate(func(ctx context.Context, _ *webhook.Request[corev1.Pod]) error {
				<-ctx.Done()
				return ctx.Err()
			}),
		})
		for query, want := range map[string]time.Duration{"": 10 * time.Second, "?timeout=3s": 3 * time.Second, "?timeout=5h": 30 * time.Second} {
			begin := time.Now()
			if w := post(s, "/slow"+query, review("CREATE", pod, "")); w.Code != 500 || time.Since(begin) != want {
				t.Errorf("%q: got %d after %s, want 500 after %s", query, w.Code, time.Since(begin), want)
			}
		}
		var all sync.WaitGroup
		all.Go(func() { post(s, "/slow?timeout=10s", review("CREATE", pod, "")) })
		synctest.Wait()
		if w := post(s, "/slow?timeout=1s", review("CREATE", pod, "")); w.Code != http.StatusServiceUnavailable {
			t.Errorf("got %d, want 503 while another request is processed", w.Code)
		}
		all.Wait()
	})
}

// TestServer: a server answers over TLS and HTTP/2, takes a new certificate without a restart,
// keeps the old one if the new one is broken, and ends with its context.
func TestServer(t *testing.T) {
	dir, clients := t.TempDir(), t.TempDir()
	pair(t, dir, "first", time.Hour)
	pair(t, clients, "client", time.Hour)
	s, said := newServer(t, func(c *webhook.Config) {
		c.CertFile, c.KeyFile, c.ClientCAFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"), filepath.Join(clients, "tls.crt")
	}, map[string]webhook.Handler{"/convert": webhook.Convert(conversions...)})
	client, err := tls.LoadX509KeyPair(filepath.Join(clients, "tls.crt"), filepath.Join(clients, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err == nil {
		t.Error("the server is ready before it runs")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	patience.Until(t, "the server listens", func() string {
		if s.Addr() != nil {
			return ""
		}
		select {
		case err := <-ended:
			t.Fatalf("Run: %v", err)
		default:
		}
		return "it has no address"
	})
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("the server is not ready: %v", err)
	}
	// ask sends a review over a new connection, and returns the name in the certificate.
	ask := func(certs ...tls.Certificate) (string, error) {
		transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certs}} //nolint:gosec // the test compares the certificate
		defer transport.CloseIdleConnections()
		res, err := (&http.Client{Transport: transport}).Post("https://"+s.Addr().String()+"/convert", "application/json", strings.NewReader(conversionBody("example.com/v1")))
		if err != nil {
			return "", err
		}
		defer func() { _ = res.Body.Close() }()
		if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 200 || res.ProtoMajor != 2 {
			return "", fmt.Errorf("%s %s %s %w", res.Proto, res.Status, body, err)
		}
		return res.TLS.PeerCertificates[0].Subject.CommonName, nil
	}
	serves := func(want, log string) {
		t.Helper()
		patience.Until(t, "certificate "+want, func() string {
			got, err := ask(client)
			if err == nil && got == want && strings.Contains(said.String(), log) {
				return ""
			}
			return fmt.Sprintf("got the certificate %q and %v, want the line %q:\n%s", got, err, log, said)
		})
	}
	serves("first", "webhooks are served")
	if _, err := ask(); err == nil {
		t.Error("a client without a certificate was answered")
	}
	pair(t, dir, "second", time.Hour)
	serves("second", "the certificate has changed")
	if err := os.WriteFile(filepath.Join(dir, "tls.key"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	serves("second", "the previous one stays in use")
	pair(t, dir, "third", -time.Minute)
	serves("third", "can be read again")
	if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("got %v, want an error about the expired certificate", err)
	}
	if err := s.Run(t.Context()); !errors.Is(err, webhook.ErrRunning) {
		t.Errorf("a second Run returns %v, want ErrRunning", err)
	}
	if err := s.Handle("/late", webhook.Convert()); !errors.Is(err, webhook.ErrRunning) {
		t.Errorf("Handle returns %v, want ErrRunning", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run returns %v, want nil", err)
	}
}

// FuzzReview: no body is answered with anything but a review or an error, and a patch always
// fits its object.
func FuzzReview(f *testing.F) {
	f.Add(review("CREATE", pod, ""))
	f.Add(review("UPDATE", `{"metadata":{"labels":null},"spec":{"containers":[null,{}]}}`, pod))
	f.Add(conversionBody("example.com/v1", `{"apiVersion":"example.com/v1alpha1","kind":"A","metadata":{"name":"x"}}`))
	f.Add(conversionBody("v1", `{"apiVersion":"a/b/c","metadata":3}`))
	s, _ := newServer(f, func(c *webhook.Config) { c.Logger = slog.New(slog.DiscardHandler) }, map[string]webhook.Handler{
		"/mutate": webhook.Mutate(func(_ context.Context, r *webhook.Request[corev1.Pod]) error {
			if r.Object != nil {
				metav1.SetMetaDataLabel(&r.Object.ObjectMeta, "a", "b")
				r.Object.Spec.Containers = append(r.Object.Spec.Containers, corev1.Container{Name: "side"})
			}
			return nil
		}),
		"/convert": webhook.Convert(conversions...),
	})
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/mutate", "/convert"} {
			w := post(s, path, body)
			if strings.Contains(w.Body.String(), "panicked") {
				t.Fatalf("%s: %s", path, w.Body)
			}
			var got admissionv1.AdmissionReview
			if w.Code == http.StatusOK && json.Unmarshal(w.Body.Bytes(), &got) != nil {
				t.Fatalf("%s: the answer is not JSON: %s", path, w.Body)
			}
			if got.Response == nil || got.Response.Patch == nil {
				continue
			}
			var sent admissionv1.AdmissionReview
			if err := json.Unmarshal([]byte(body), &sent); err != nil || sent.Request == nil {
				continue // json is less strict about names of members than the server
			}
			patch, err := jsonpatch.DecodePatch(got.Response.Patch)
			if err != nil {
				t.Fatalf("decode the patch %s: %v", got.Response.Patch, err)
			}
			if _, err := patch.Apply(sent.Request.Object.Raw); err != nil {
				t.Fatalf("apply %s to %s: %v", got.Response.Patch, sent.Request.Object.Raw, err)
			}
		}
	})
}
