package stacktrace

import (
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

type server struct{ panics func() }

func (s *server) serve(string) { s.panics() }

// stackOf returns the stack of a panic, as a function that recovers sees it.
func stackOf(panics func()) (stack []byte) {
	defer func() {
		if recover() != nil {
			stack = debug.Stack()
		}
	}()
	(&server{panics}).serve("/pods (all)")
	return nil
}

func deep(n int) {
	if n == 0 {
		panic("deep")
	}
	deep(n - 1)
}

func TestLine(t *testing.T) {
	var none map[string]int
	for name, panics := range map[string]func(){
		"a panic":         func() { panic("x") },
		"a runtime error": func() { none["x"] = 1 },
		"a panic while another panics": func() {
			defer func() { panic("second") }()
			panic("first")
		},
	} {
		line := Line(stackOf(panics))
		ok := regexp.MustCompile(`^stacktrace\.TestLine\.func[\d.]+ \(stacktrace/stacktrace_test\.go:\d+\) < .*stacktrace\.\(\*server\)\.serve \(stacktrace/stacktrace_test\.go:\d+\) < stacktrace\.stackOf `)
		if !ok.MatchString(line) || strings.ContainsAny(line, "\n\t") || strings.Contains(line, "runtime.") {
			t.Errorf("%s: got %s, want one line with the callers, without the runtime", name, line)
		}
	}
	if line := Line(stackOf(func() { deep(100) })); strings.Count(line, "stacktrace.deep") != maxCalls || !strings.HasSuffix(line, " < …") {
		t.Errorf("a deep stack: %s", line)
	}
}

func FuzzLine(f *testing.F) {
	f.Add([]byte("goroutine 1 [running]:\npanic({0x1, 0x2})\n\t/x/y.go:1\nmain.f()\n\t/x/y.go:2 +0x1\n"))
	f.Add(stackOf(func() { panic("x") }))
	f.Fuzz(func(t *testing.T, stack []byte) {
		if line := Line(stack); strings.Contains(line, "\n") {
			t.Errorf("got %q, want one line", line)
		}
	})
}
