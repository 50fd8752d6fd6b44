package apitest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// errNotFound is the error for an unknown path. A server answers it with plain text instead of a Status.
var errNotFound = errors.New("404 page not found")

// notAcceptable is the error if no encoding of the Accept header can be served.
func notAcceptable() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable,
		Message: "only the following media types are accepted: " + mediaJSON + ", " + mediaProtobuf,
	}}
}

// unsupportedMediaType is the error for a body in an unsupported format.
func unsupportedMediaType(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType,
		Reason: metav1.StatusReasonUnsupportedMediaType, Message: message,
	}}
}

// statusOf returns the Status of an error.
func statusOf(err error) metav1.Status {
	var carrier apierrors.APIStatus
	if errors.As(err, &carrier) {
		status := carrier.Status()
		if status.Status == "" {
			status.Status = metav1.StatusFailure
		}
		return status
	}
	return apierrors.NewInternalError(err).Status()
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, c *call, err error) {
	if errors.Is(err, errNotFound) {
		http.Error(w, errNotFound.Error(), http.StatusNotFound)
		return
	}
	status := statusOf(err)
	s.sendStatus(w, c, int(status.Code), status)
}

// sendStatus answers with a Status, of an error or of a success, in the client's preferred encoding.
func (s *Server) sendStatus(w http.ResponseWriter, c *call, code int, status metav1.Status) {
	enc, _ := offer{protobuf: true}.accept(c.Accept)
	if c.table != nil && !c.table.res.builtin() {
		// The client of a custom resource may accept protobuf only for metadata.
		enc = encoding{}
	}
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	p, err := statusPayload(status, enc.format)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.sendPayload(w, code, enc, p)
}

// respond answers with an object, or with an error.
func (s *Server) respond(w http.ResponseWriter, c *call, code int, rev *revision, err error) {
	for _, text := range c.warnings {
		if header, err := utilnet.NewWarningHeader(299, "-", text); err == nil {
			w.Header().Add("Warning", header)
		}
	}
	var p payload
	if err == nil {
		p, err = payloadOf(rev, c.enc)
	}
	if err != nil {
		s.fail(w, c, err)
		return
	}
	s.sendPayload(w, code, c.enc, p)
}

func (s *Server) sendPayload(w http.ResponseWriter, code int, enc encoding, p payload) {
	body := p.appendTo(nil, enc.format)
	if enc.format == formatJSON {
		body = append(body, '\n')
	}
	w.Header().Set("Content-Type", enc.mediaType())
	w.WriteHeader(code)
	// An error means that the client has closed the connection.
	_, _ = w.Write(body)
}

// sendJSON answers with a document that only exists as JSON.
func (s *Server) sendJSON(w http.ResponseWriter, c *call, document any) {
	data, err := json.Marshal(document)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	w.Header().Set("Content-Type", mediaJSON)
	_, _ = w.Write(append(data, '\n'))
}
