package jobtrace_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// TestEnvironment: the standard variables set fields that the configuration does not set.
func TestEnvironment(t *testing.T) {
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector:4318/base/", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b,x=1", "OTEL_SERVICE_NAME": "jobs",
		"OTEL_RESOURCE_ATTRIBUTES": "site=north,service.name=other,deployment.environment.name=a%2Cb",
	}
	c := jobtrace.Config{Endpoint: jobtrace.FromEnvironment, Header: http.Header{"X": {"2"}}}
	if err := c.Environment(func(name string) string { return env[name] }); err != nil {
		t.Fatal(err)
	}
	if c.Endpoint != "https://collector:4318/base/v1/traces" || c.Header.Get("Api-Key") != "a b" || c.Header.Get("X") != "2" || c.ServiceName != "jobs" ||
		len(c.Resource) != 2 || c.Resource["site"] != "north" || c.Resource["deployment.environment.name"] != "a,b" {
		t.Errorf("got %+v, want the endpoint, headers, name and resource of the environment", c)
	}
	env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"], env["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] = "http://other", "y=3"
	c = jobtrace.Config{Endpoint: jobtrace.FromEnvironment}
	if err := c.Environment(func(name string) string { return env[name] }); err != nil || c.Endpoint != "http://other" || c.Header.Get("Y") != "3" || c.Header.Get("X") != "" {
		t.Errorf("got %+v and error %v, want the settings for traces to win", c, err)
	}
	c = jobtrace.Config{Endpoint: "http://flag:4318"}
	if err := c.Environment(func(name string) string { return env[name] }); err != nil || c.Endpoint != "http://flag:4318" {
		t.Errorf("got %+v and error %v, want the endpoint of the flag", c, err)
	}
	c = jobtrace.Config{Endpoint: jobtrace.FromEnvironment}
	err := c.Environment(func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "hunter2", "OTEL_RESOURCE_ATTRIBUTES": "a=%zz"}[name]
	})
	for _, want := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT is empty", "OTEL_EXPORTER_OTLP_HEADERS is invalid", "OTEL_RESOURCE_ATTRIBUTES is invalid"} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestParseHeader: a valid file of headers, and mistakes without their text.
func TestParseHeader(t *testing.T) {
	h, err := jobtrace.ParseHeader([]byte("# token\n\nAuthorization: Bearer a:b\r\napi-key:x\n"))
	if err != nil || h.Get("Authorization") != "Bearer a:b" || h.Get("Api-Key") != "x" || len(h) != 2 {
		t.Errorf("got %v and error %v, want two headers", h, err)
	}
	for _, text := range []string{"hunter2", "hunter2 x: y", ": hunter2", "a: hunter2\x00", "a: " + strings.Repeat("hunter2", 20_000)} {
		if _, err := jobtrace.ParseHeader([]byte(text)); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.20q: got %v, want an error without the secret", text, err)
		}
	}
}

// TestCheck: addresses that cannot belong to a collector, or that contain a secret, are refused.
func TestCheck(t *testing.T) {
	for endpoint, ok := range map[string]bool{
		"http://collector:4318": true, "https://collector/v1/traces": true, "": false, "collector:4318": false, "ftp://collector": false, "http://": false,
		"http://me:hunter2@collector": false, "http://collector/?key=hunter2": false, "http://collector/#hunter2": false, "http://a b": false,
	} {
		err := (&jobtrace.Config{Endpoint: endpoint}).Check()
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("endpoint %q: got %v, want it accepted: %t, and no secret shown", endpoint, err, ok)
		}
	}
}

// TestCertificates: the standard variables name authorities and a certificate. The
// exporter reaches a collector only with them.
func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) != 1 {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	defer server.Close()
	file := func(name string, blocks ...*pem.Block) string {
		path := filepath.Join(t.TempDir(), name)
		var text []byte
		for _, b := range blocks {
			text = append(text, pem.EncodeToMemory(b)...)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	certificate := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_CERTIFICATE": file("ca.pem", certificate), "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE": file("tls.crt", certificate),
		"OTEL_EXPORTER_OTLP_CLIENT_KEY": file("tls.key", &pem.Block{Type: "PRIVATE KEY", Bytes: key}), "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
	}
	c := jobtrace.Config{Endpoint: server.URL}
	if err := c.Environment(func(name string) string { return env[name] }); err != nil || !c.Plain {
		t.Fatalf("got error %v, plain %v; want no error and true", err, c.Plain)
	}
	if stats, err := jobtrace.SendTo(patience.Context(t, "the trace is accepted"), c); err != nil || stats.Traces != 1 || stats.Refused != 0 {
		t.Errorf("got error %v and %+v, want one trace accepted", err, stats)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // an input: the limit of the call
	defer cancel()
	if stats, err := jobtrace.SendTo(short, jobtrace.Config{Endpoint: server.URL}); err == nil || stats.Traces != 0 {
		t.Errorf("got %v, %+v without the certificate authority", err, stats)
	}
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_CERTIFICATE": "/none", "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/none", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "zstd",
	} {
		c := jobtrace.Config{Endpoint: server.URL}
		err := c.Environment(func(asked string) string { return map[string]string{name: value}[asked] })
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: got %v, want an error with the name", name, value, err)
		}
	}
}
