package apitest

// Requests returns the latest requests, oldest first: up to Config.RequestLog, including those for discovery. The
// caller may change the result.
func (s *Server) Requests() []Request {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	return s.log.all()
}
