package stage

import (
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
)

// Peer starts a second recorder, at its own API server, over networks without faults. It
// returns when that recorder follows, and the version from which it does.
func (s *Stage) Peer(t *testing.T) (two *Recorder, since int64) {
	t.Helper()
	from, err := s.Plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Plane.AddAPIServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	two = startRecorder(t, s.Program, Kubeconfig(t, p.RESTConfig(), ""), "two", "jobs,pods", "-A", "--db", s.URL)
	patience.Until(t, "two follows", func() string {
		s.Mark(t) // a resumed recorder records coverage only after an event
		return s.Uncovered(t, "two")
	})
	to, err := s.Plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Restarts = append(s.Restarts, Span{From: from, To: to}) // this server has no earlier history
	return two, to
}
