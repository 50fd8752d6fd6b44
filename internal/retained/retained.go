// Package retained measures the memory that a test's work keeps.
//
// The difference of two sizes of the heap is no such measure: memory of earlier tests and of
// other goroutines becomes free in between, so the difference can be negative.
package retained

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Bytes runs work and returns how many of the bytes that work allocated are still reachable:
// from the result, from package variables or from goroutines. Allocations of other goroutines
// do not count. At most one call may run at a time. Work is slower than usual, because the
// runtime notes each allocation.
func Bytes(t testing.TB, work func() any) int {
	t.Helper()
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 1
	kept := marked(work)
	runtime.MemProfileRate = rate
	n := inUse(t)
	runtime.KeepAlive(kept)
	return n
}

// marked calls work. Its frame marks the stacks of the allocations.
//
//go:noinline
func marked(work func() any) any { return work() }

// inUse returns the reachable bytes whose stacks contain marked.
func inUse(t testing.TB) int {
	runtime.GC() // the profile is as of the last completed collection
	runtime.GC() // pools and finalizers need a second one
	runtime.GC()
	var profile []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, false); !ok; {
		profile = make([]runtime.MemProfileRecord, n+n/4+50)
		if n, ok = runtime.MemProfile(profile, false); ok {
			profile = profile[:n]
		}
	}
	total := 0
	for _, r := range profile {
		if stack := r.Stack(); contains(stack) {
			total += int(r.InUseBytes())
		} else if len(stack) == len(r.Stack0) && r.InUseBytes() > 0 {
			t.Logf("%d bytes have a stack that is too deep to be attributed", r.InUseBytes())
		}
	}
	return total
}

func contains(stack []uintptr) bool {
	frames := runtime.CallersFrames(slices.Clone(stack))
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "internal/retained.marked") {
			return true
		}
		if !more {
			return false
		}
	}
}
