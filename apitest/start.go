package apitest

// TestingT is the part of testing.TB that Start needs.
type TestingT interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// Start starts a server with objects for a test, and closes it at the end of the test:
//
//	srv := apitest.Start(t, pod, node)
//
// If the server cannot be started, or refuses an object, the test ends.
func Start(t TestingT, objs ...Object) *Server {
	t.Helper()
	return StartWith(t, Config{}, objs...)
}

// StartWith is Start with a Config, which registers custom types for instance.
func StartWith(t TestingT, cfg Config, objs ...Object) *Server {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatalf("start the API server: %v", err)
	}
	t.Cleanup(s.Close)
	for _, obj := range objs {
		if _, err := s.Create(obj); err != nil {
			t.Fatalf("create %s/%s: %v", obj.GetNamespace(), obj.GetName(), err)
		}
	}
	return s
}
