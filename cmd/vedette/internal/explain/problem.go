package explain

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
)

// nextSteps say what to do about problems of a portal whose detail does not.
var nextSteps = map[string]string{
	api.ProblemSignIn:   "run `vedette login`",
	api.ProblemDatabase: "try again; if it stays so, tell the operators of the portal",
	api.ProblemFault:    "tell the operators of the portal",
	api.ProblemTooMany:  "try again",
	api.ProblemLoading:  "try again",
}

// Clause returns a sentence as errors of this program are written: on one line, without a capital
// letter at its beginning, unless that of a proper noun such as API, and without the full stop.
func Clause(sentence string) string {
	text := strings.TrimSuffix(printable.OneLine(sentence), ".")
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	if unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// explainUnreachable returns the error of a portal that does not answer on one line, with a
// remedy.
func explainUnreachable(err error, away *client.UnreachableError) string {
	text := printable.OneLine(err.Error())
	var (
		unknown *net.DNSError
		bad     *tls.CertificateVerificationError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		plain   tls.RecordHeaderError
		wait    net.Error
	)
	switch {
	case errors.As(away, &plain), errors.Is(away, http.ErrSchemeMismatch):
		return text + "; check the address (--server): a portal without TLS needs http"
	case errors.As(away, &name):
		return text + "; use a host name that the certificate has (--server)"
	case errors.As(away, &invalid) && invalid.Reason == x509.Expired:
		return text + "; check the clock of this machine, or ask the portal's operators to renew the certificate"
	case errors.As(away, &bad):
		return text + "; if you trust the server, --server-ca names a file with the certificate of its authority"
	case errors.As(away, &unknown):
		return text + "; check the address (--server), and the network or VPN"
	case oscompat.ConnectionRefused(away):
		return text + "; is the portal running, and is the address right? (--server)"
	case errors.As(away, &wait) && wait.Timeout():
		return text + "; check the network or VPN, and try again"
	}
	return text + "; check the address (--server): a portal with TLS needs https"
}

// explainProblem returns a problem of a portal on one line: what failed, on what, why, and what
// to do next.
func explainProblem(err error, p *api.Problem) string {
	text := Clause(err.Error())
	for _, f := range p.Fields {
		text += "; " + strings.TrimPrefix(printable.OneLine(f.Field)+": ", ": ") + printable.OneLine(f.Message)
	}
	if next := nextSteps[p.Type]; next != "" && !strings.Contains(text, "check the address") && !strings.Contains(strings.ToLower(text), next) && (p.Instance != "" || p.Type != api.ProblemFault) {
		text += ": " + next
	}
	if p.Instance != "" {
		text += fmt.Sprintf(" (ID %s in the portal's log)", printable.OneLine(p.Instance))
	}
	return text
}
