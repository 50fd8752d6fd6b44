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
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/printable"
)

// Explain makes one sentence of an error of this package, for people at a
// command line: what is wrong, and the way out. Any other error is returned in
// its own words.
//
// The sentence may quote a server. Control characters, bidirectional overrides, invisible
// characters and invalid UTF-8 in it are escaped, so it is safe to print. The error itself
// holds the text as the server sent it.
func Explain(err error) string {
	if err == nil {
		return ""
	}
	return printable.Line(explain(err))
}

func explain(err error) string {
	for _, explain := range []func(error) string{explainStatus, explainTLS, explainNetwork} {
		if text := explain(err); text != "" {
			return text
		}
	}
	return oneLine(err)
}

func explainStatus(err error) string {
	var unknown *UnknownResourceError
	if errors.As(err, &unknown) {
		return oneLine(unknown) + " (`kubectl api-resources` lists what there is)"
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return ""
	}
	s := status.Status()
	if s.Code == http.StatusUnauthorized {
		return "the server does not know these credentials (401): log in again, or choose another user with --context"
	}
	var request *RequestError
	if errors.As(err, &request) && !request.streams() {
		return oneLine(err)
	}
	switch s.Code {
	case http.StatusForbidden:
		return fmt.Sprintf("no rights (403): %s; ask for the verbs list and watch, or look into one namespace with -n", message(&s))
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return fmt.Sprintf("the server does not understand the request (%d): %s; check the selectors", s.Code, message(&s))
	}
	return oneLine(err)
}

func message(s *metav1.Status) string {
	return strings.TrimRight(strings.Join(strings.Fields(s.Message), " "), ".")
}

func explainTLS(err error) string {
	var (
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		certificate x509.CertificateInvalidError
		record      tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return "the server's certificate is signed by an authority that the kubeconfig does not name: check certificate-authority-data of the cluster (" + oneLine(err) + ")"
	case errors.As(err, &hostname):
		return "the server's certificate is for another name: check the server address or tls-server-name of the cluster (" + oneLine(err) + ")"
	case errors.As(err, &certificate):
		return "the server's certificate is not valid now: check the clock of this machine and the certificate (" + oneLine(err) + ")"
	case errors.As(err, &record):
		return "the server does not speak TLS at this address: check the port and http or https (" + oneLine(err) + ")"
	}
	return ""
}

func explainNetwork(err error) string {
	var (
		dns    *net.DNSError
		netErr net.Error
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "no server answers there: " + oneLine(err) + "; is the cluster running, and is this the right --context?"
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %s is not known: %s; check the server address and the network or VPN", dns.Name, oneLine(err))
	case errors.Is(err, exec.ErrNotFound):
		return "the kubeconfig needs a program for its credentials that is not there: " + oneLine(err) + "; install it"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return "the server did not answer in time: " + oneLine(err) + "; check the network or VPN"
	}
	return ""
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
