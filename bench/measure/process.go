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

// Figures are measurements by name, in seconds, bytes or plain numbers.
type Figures map[string]float64

// Names of the figures of a Mark.
const (
	Wall       = "wall"        // s
	CPU        = "cpu"         // s, user and system
	Peak       = "peak"        // B, resident, the peak since the start of the process
	Heap       = "heap"        // B, live after two collections, beyond the mark
	Alloc      = "alloc"       // B, total allocated
	Allocs     = "allocs"      // total allocations
	GC         = "gc"          // the garbage collector's share of the CPU, from 0 to 1
	Goroutines = "goroutines"  // beyond the mark
	RSSGrowth  = "rss-growth"  // B, resident, since the mark
	PeakGrowth = "peak-growth" // B, resident, the peak since the start of the process, less the resident memory at the mark
)

// Mark is the beginning of a measurement.
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
	debug.FreeOSMemory() // collects again, and returns free memory to the system
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

// Times returns wall time, CPU and the peak since the mark.
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

// Memory adds the allocations, and the live heap after two collections. Call it after
// Times, so that the figures of Times exclude these collections.
func (m *Mark) Memory(f Figures) error {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	f[Alloc], f[Allocs] = float64(now.TotalAlloc-m.mem.TotalAlloc), float64(now.Mallocs-m.mem.Mallocs)
	f[Goroutines] = float64(runtime.NumGoroutine() - m.goroutines)
	runtime.GC()
	debug.FreeOSMemory() // collects again, and returns free memory to the system
	runtime.ReadMemStats(&now)
	f[Heap] = float64(now.HeapAlloc) - float64(m.mem.HeapAlloc)
	rss, err := status("VmRSS:")
	f[RSSGrowth] = float64(rss) - float64(m.rss)
	return err
}

// RSS returns the resident memory, in bytes.
func RSS() (uint64, error) { return status("VmRSS:") }

// PeakRSS returns the largest resident memory that the process has had, in bytes.
func PeakRSS() (uint64, error) { return status("VmHWM:") }

// CPUTime returns the CPU time of this process so far.
func CPUTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// gcTime returns the time of the garbage collector so far, and of the whole process, in
// seconds, as estimated by the runtime at the end of each cycle. Both are processor time,
// and too high if other processes compete for processors; their ratio is not affected.
// Collector time on idle processors is included, because it is CPU time, too.
func gcTime() (gc, busy float64) {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64(), s[1].Value.Float64() - s[2].Value.Float64()
}

// status reads a line of /proc/self/status, in kB, and returns bytes.
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
