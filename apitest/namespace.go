package apitest

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// checkNamespace rejects a namespace that does not exist.
func (s *Server) checkNamespace(c *call) error {
	if !s.cfg.CheckNamespaces || c.Namespace == "" {
		return nil
	}
	s.mu.Lock()
	namespaces := s.tables[schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}]
	s.mu.Unlock()
	_, err := s.find(namespaces, keyOf("", c.Namespace))
	return err
}
