package controlplane

import (
	"net"
	"strconv"
	"testing"
)

// TestPortTaken: a cluster starts although another process takes the port of kwok before kwok does.
func TestPortTaken(t *testing.T) {
	bins, err := Build(t.Context(), Version(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	portsFound = func(p ports) {
		if starts++; starts > 1 {
			return
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(p.kwok))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	defer func() { portsFound = func(ports) {} }()
	c, err := Start(t.Context(), bins, Options{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.Stop()
	if starts != 2 {
		t.Errorf("the cluster was started %d times, want twice", starts)
	}
}
