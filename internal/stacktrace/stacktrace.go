// Package stacktrace shortens the stack of a panic to one line, because log handlers
// escape line breaks.
package stacktrace

import (
	"path"
	"strings"
)

// panicCall begins the line of the call in which a panic began.
const panicCall = "panic" + "("

// maxCalls is the maximum number of calls in a line.
const maxCalls = 5

// Line returns the calls that led to a panic, the innermost first:
//
//	main.reconcile (jobs/main.go:31) < controller.(*Controller).call (controller/worker.go:121)
//
// stack is the result of debug.Stack in the function that recovered the panic. Calls of
// package runtime are omitted. Line returns "" for any other text.
func Line(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	var calls []string
	panicked := false
	for i := 1; i+1 < len(lines); i += 2 {
		function, place := lines[i], lines[i+1]
		switch {
		case !panicked:
			panicked = strings.HasPrefix(function, panicCall) // the calls before belong to the recovery
		case strings.HasPrefix(place, "\t") && !strings.HasPrefix(function, panicCall) && !strings.HasPrefix(function, "runtime."):
			calls = append(calls, shortFunction(function)+" ("+shortPlace(place)+")")
		}
	}
	if len(calls) > maxCalls {
		calls = append(calls[:maxCalls], "…")
	}
	return strings.Join(calls, " < ")
}

// shortFunction omits the import path and the arguments of a function.
func shortFunction(line string) string {
	line = strings.TrimPrefix(line, "created by ")
	line, _, _ = strings.Cut(line, " in goroutine ")
	name := line[strings.LastIndexByte(line, '/')+1:]
	if strings.HasSuffix(name, ")") { // the arguments; a receiver has parentheses too
		name = name[:strings.LastIndexByte(name, '(')]
	}
	return name
}

// shortPlace keeps the last folder, the file and the line number.
func shortPlace(line string) string {
	line, _, _ = strings.Cut(strings.TrimSpace(line), " ")
	return path.Join(path.Base(path.Dir(line)), path.Base(line))
}
