package measure

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Figures are what was measured, by name, in seconds, bytes or plain numbers. The
// names are in Names.
type Figures map[string]float64

// Names of figures that a Mark gives.
const (
	Wall       = "wall"        // s
	CPU        = "cpu"         // s, user and system
	Peak       = "peak"        // B, resident, the most since the process began
	Heap       = "heap"        // B, live after two collections, beyond what was there before
	Alloc      = "alloc"       // B, allocated in all
	Allocs     = "allocs"      // allocations in all
	GC         = "gc"          // the garbage collector's share of the CPU, of 1
	Goroutines = "goroutines"  // beyond those that were there before
	RSSGrowth  = "rss-growth"  // B, resident, since the mark
	PeakGrowth = "peak-growth" // B, resident, the most since the process began, less what was resident at the mark
)

// Mark is a moment from which is measured.
type Mark struct {
	at         time.Time
	cpu        time.Duration
	gc, busy   float64
	mem        runtime.MemStats
	rss        uint64
	goroutines int
}

// Begin collects garbage, and begins to measure.
func Begin() (*Mark, error) {
	runtime.GC()
	debug.FreeOSMemory() // collects once more, and gives back what is free
	m := &Mark{goroutines: runtime.NumGoroutine()}
	runtime.ReadMemStats(&m.mem)
	m.gc, m.busy = gcTime()
	var err error
	if m.rss, err = status("VmRSS:"); err != nil {
		return nil, err
	}
	if m.cpu, err = CPUTime(); err != nil {
		return nil, err
	}
	m.at = time.Now()
	return m, nil
}

// Times returns wall, CPU and the peak up to now.
func (m *Mark) Times() (Figures, error) {
	wall := time.Since(m.at)
	cpu, err := CPUTime()
	if err != nil {
		return nil, err
	}
	gc, busy := gcTime()
	peak, err := status("VmHWM:")
	if err != nil {
		return nil, err
	}
	f := Figures{Wall: wall.Seconds(), CPU: (cpu - m.cpu).Seconds(), Peak: float64(peak), PeakGrowth: float64(peak) - float64(m.rss), GC: 0}
	if busy > m.busy {
		f[GC] = (gc - m.gc) / (busy - m.busy)
	}
	return f, nil
}

// Memory adds what was allocated, and what of it is live after two collections.
// It comes after Times, whose figures do not have the collections then.
func (m *Mark) Memory(f Figures) error {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	f[Alloc], f[Allocs] = float64(now.TotalAlloc-m.mem.TotalAlloc), float64(now.Mallocs-m.mem.Mallocs)
	f[Goroutines] = float64(runtime.NumGoroutine() - m.goroutines)
	runtime.GC()
	debug.FreeOSMemory() // collects once more, and gives back what is free
	runtime.ReadMemStats(&now)
	f[Heap] = float64(now.HeapAlloc) - float64(m.mem.HeapAlloc)
	rss, err := status("VmRSS:")
	f[RSSGrowth] = float64(rss) - float64(m.rss)
	return err
}

// RSS is what is resident now, in bytes.
func RSS() (uint64, error) { return status("VmRSS:") }

// CPUTime returns what this process has used so far.
func CPUTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// gcTime is what the garbage collector has used so far, and what all has, in
// seconds, as the runtime estimates it at the end of each cycle. It counts the time
// of processors, so both are too much where others want them as well; their ratio
// is not. What the collector did on processors that had nothing else to do is left
// in: it is CPU all the same.
func gcTime() (gc, busy float64) {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64(), s[1].Value.Float64() - s[2].Value.Float64()
}

// status reads a line of /proc/self/status, which is in kB, as bytes.
func status(name string) (uint64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kb, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", name)
}
