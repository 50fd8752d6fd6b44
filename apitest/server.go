package apitest

import (
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Server is an API server in the process. All methods may be called from any goroutine, also while clients use it.
type Server struct {
	cfg     Config
	http    *http.Server
	pipes   *pipeListener
	faults  faultRegistry
	podLogs podLogs
	garbage garbage

	mu      sync.Mutex // guards the following fields; never held while waiting or sending
	version uint64
	tables  map[schema.GroupVersionResource]*table
	kinds   map[schema.GroupVersionKind]*table

	logMu  sync.Mutex // taken with mu held, never the other way around
	log    ring[Request]
	writes ring[record]

	netMu   sync.Mutex // guards the following fields
	network network
	done    chan struct{} // closed by Close
	work    sync.WaitGroup
}

// Version returns the latest resource version of the server.
func (s *Server) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Compact forgets the history of all types: watches, exact lists and continuations from an earlier version are answered
// 410, and so is a running watch that has not sent everything yet.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		t.window.forget(s.version)
		t.notify()
	}
}
