package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/internal/printable"
)

// Explain summarizes an error of this package in one sentence, for people at a command
// line: the problem, and how to fix it. For any other error it returns the error's
// own text.
//
// The sentence may quote a server. Explain escapes control characters, bidirectional
// overrides, invisible characters and invalid UTF-8, so the result is safe to print.
// The error itself holds the text as the server sent it.
func Explain(err error) string {
	if err == nil {
		return ""
	}
	d := diagnose(err)
	text := d.problem
	switch {
	case d.remedy == "":
	case strings.HasSuffix(text, "?"):
		text += " (" + d.remedy + ")"
	default:
		text += "; " + d.remedy
	}
	if d.flag != "" {
		text += " (" + d.flag + ")"
	}
	return printable.Line(text)
}

// Remedy returns what to do about an error of this package, in half a sentence, for
// logs: it names no command-line flags. It returns "" if no remedy is known.
func Remedy(err error) string {
	if err == nil {
		return ""
	}
	return diagnose(err).remedy
}

// diagnosis describes an error.
type diagnosis struct {
	problem string
	remedy  string // "" if it is unknown, or already part of the problem
	flag    string // the command-line flag for the remedy
}

func diagnose(err error) diagnosis {
	for _, look := range []func(error) (diagnosis, bool){diagnoseStatus, diagnoseTLS, diagnoseForeign, diagnoseNetwork} {
		if d, ok := look(err); ok {
			return d
		}
	}
	return diagnosis{problem: oneLine(err)}
}

func diagnoseStatus(err error) (diagnosis, bool) {
	var unknown *UnknownResourceError
	if errors.As(err, &unknown) {
		return diagnosis{oneLine(unknown), "create the type, or check its name: `kubectl api-resources` lists the types", ""}, true
	}
	var failing *DiscoveryError
	if errors.As(err, &failing) {
		bare := *failing
		bare.Remedy = ""
		if s := failing.Status(); s.Code != http.StatusUnauthorized && !wantsTLS(&s) {
			return diagnosis{oneLine(&bare), failing.Remedy, ""}, true
		}
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return diagnosis{}, false
	}
	s := status.Status()
	if s.Code == http.StatusUnauthorized {
		return diagnosis{"the server rejects these credentials (401)", "log in again, or use another user of the kubeconfig", "--context"}, true
	}
	var request *RequestError
	if errors.As(err, &request) && !request.streams() {
		return diagnosis{problem: oneLine(err)}, true
	}
	switch {
	case s.Code == http.StatusForbidden:
		return diagnosis{"access denied (403): " + message(&s), "request the verbs list and watch, or select one namespace", "-n"}, true
	case wantsTLS(&s):
		return diagnosis{"the server uses TLS at this address: " + oneLine(err), "check the server address of the cluster: it must begin with https", ""}, true
	case s.Code == http.StatusBadRequest || s.Code == http.StatusUnprocessableEntity:
		return diagnosis{fmt.Sprintf("the server does not understand the request (%d): %s", s.Code, message(&s)), "check the selectors", ""}, true
	case s.Code == http.StatusNotFound:
		return diagnosis{oneLine(err), "check the server address, and that the server serves this type", ""}, true
	case s.Code >= http.StatusInternalServerError:
		return diagnosis{oneLine(err), "check the API server, and any proxy before it", ""}, true
	}
	return diagnosis{problem: oneLine(err)}, true
}

// wantsTLS reports whether the peer speaks TLS but received a plain-text request. It
// matches the messages of net/http and nginx.
func wantsTLS(s *metav1.Status) bool {
	if s.Code != http.StatusBadRequest || s.Details == nil {
		return false
	}
	for _, c := range s.Details.Causes {
		if strings.Contains(c.Message, "HTTP request to an HTTPS server") || strings.Contains(c.Message, "HTTP request was sent to HTTPS port") {
			return true
		}
	}
	return false
}

func message(s *metav1.Status) string {
	return strings.TrimRight(strings.Join(strings.Fields(s.Message), " "), ".")
}

func diagnoseTLS(err error) (diagnosis, bool) {
	var (
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		certificate x509.CertificateInvalidError
		record      tls.RecordHeaderError
		alert       tls.AlertError
	)
	problem, remedy := "", ""
	switch {
	case errors.As(err, &authority):
		problem, remedy = "the server's certificate is signed by an authority that the kubeconfig does not name", "check certificate-authority-data of the cluster"
	case errors.As(err, &hostname):
		problem, remedy = "the server's certificate is for another name", "check the server address or tls-server-name of the cluster"
	case errors.As(err, &certificate):
		problem, remedy = "the server's certificate is not valid now", "check the clock of this machine and the certificate"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		problem, remedy = "the server does not use TLS at this address", "check the port and http or https"
	case errors.As(err, &alert):
		problem, remedy = "the server refuses the TLS connection", "check the client certificate of the user"
	default:
		return diagnosis{}, false
	}
	return diagnosis{problem + ": " + oneLine(err), remedy, ""}, true
}

// notServerError reports that the peer is not an API server. The content type of its
// answer shows that.
type notServerError struct{ err error }

// Error implements error.
func (e *notServerError) Error() string {
	return "the answer does not come from an API server: " + e.err.Error()
}

// Unwrap returns the cause.
func (e *notServerError) Unwrap() error { return e.err }

func diagnoseForeign(err error) (diagnosis, bool) {
	var foreign *notServerError
	// Discovery cannot parse an HTML page.
	if !errors.As(err, &foreign) && !strings.Contains(err.Error(), "invalid character '<'") {
		return diagnosis{}, false
	}
	return diagnosis{oneLine(err), "check the server address, and whether a proxy before the server requires a login", ""}, true
}

func diagnoseNetwork(err error) (diagnosis, bool) {
	var (
		dns     *net.DNSError
		timeout interface{ Timeout() bool }
	)
	slow := errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
	switch {
	case oscompat.ConnectionRefused(err):
		return diagnosis{"no server answers: " + oneLine(err), "is the cluster running, and is this the right context of the kubeconfig?", "--context"}, true
	case errors.As(err, &dns) && !dns.IsTimeout:
		return diagnosis{fmt.Sprintf("the name %s cannot be resolved: %s", dns.Name, oneLine(err)), "check the server address and the network or VPN", ""}, true
	case errors.Is(err, exec.ErrNotFound):
		return diagnosis{"the credential plugin of the kubeconfig is not installed: " + oneLine(err), "install it", ""}, true
	case slow:
		return diagnosis{"the server did not answer in time: " + oneLine(err), "check the server address and the network or VPN", ""}, true
	}
	return diagnosis{}, false
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
