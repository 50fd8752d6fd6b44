package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// report is the resource usage of this process so far.
type report struct {
	Event string `json:"event"` // "ready" or "usage"
	// Milliseconds since the start of the process, and of CPU, user and system.
	Wall int64 `json:"wall_ms"`
	CPU  int64 `json:"cpu_ms"`
	// Bytes: the live heap after a collection, the resident memory, and its peak.
	Heap uint64 `json:"heap_bytes"`
	RSS  uint64 `json:"rss_bytes"`
	Peak uint64 `json:"peak_bytes"`
	// Goroutines is the current number of goroutines, Collections the number of garbage
	// collections.
	Goroutines  int    `json:"goroutines"`
	Collections uint32 `json:"collections"`
	health
}

// console answers the commands of the parent process. It ends the program when its
// input ends, so that no program outlives its parent.
type console struct {
	in    io.Reader
	end   func()
	began time.Time

	mu     sync.Mutex // one answer at a time
	out    io.Writer
	health func() health // nil before ready
}

func newConsole(in io.Reader, out io.Writer, end func()) *console {
	return &console{in: in, out: out, end: end, began: time.Now()}
}

// serve answers until the input ends. The only command is "usage".
func (c *console) serve() {
	defer c.end()
	lines := bufio.NewScanner(c.in)
	for lines.Scan() {
		if lines.Text() != "usage" {
			fmt.Fprintf(os.Stderr, "unknown command %q\n", lines.Text())
			continue
		}
		c.answer("usage")
	}
}

// ready reports to the parent that the informers have synced. Later reports include
// health.
func (c *console) ready(health func() health) {
	c.mu.Lock()
	c.health = health
	c.mu.Unlock()
	c.answer("ready")
}

func (c *console) answer(event string) {
	r := report{Event: event, Wall: time.Since(c.began).Milliseconds(), CPU: cpu().Milliseconds()}
	r.RSS, r.Peak = resident()
	if event == "usage" {
		// The second collection frees what the finalizers of the first released.
		runtime.GC()
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Heap, r.Collections, r.Goroutines = m.HeapAlloc, m.NumGC, runtime.NumGoroutine()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.health != nil {
		r.health = c.health()
	}
	if err := json.NewEncoder(c.out).Encode(r); err != nil {
		c.end()
	}
}

// cpu returns the CPU time of this process, user and system.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident returns the resident memory of this process and its peak, in bytes; 0 if the
// kernel does not report it.
func resident() (now, peak uint64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseUint(string(fields[1]), 10, 64) // other lines have words
		switch string(fields[0]) {
		case "VmRSS:":
			now = n << 10
		case "VmHWM:":
			peak = n << 10
		}
	}
	return now, peak
}
