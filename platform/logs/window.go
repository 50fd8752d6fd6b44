package logs

import (
	"cmp"
	"container/heap"
	"time"
)

// Limits of a window.
const (
	windowTime  = 250 * time.Millisecond
	windowBytes = 4 << 20
)

// window orders followed lines by time, if they arrive within a quarter of a second. The
// lines of one log stay in their order.
type window struct {
	lines   waiting
	arrived []*waitingLine // in the order of arrival; released lines stay until they are first
	bytes   int
	next    int
	last    map[runKey]time.Time // of the last line of each log; never decreases
}

type waitingLine struct {
	line    Line
	at      time.Time
	arrived time.Time
	number  int
	out     bool
}

// waiting is a heap: the first line is the earliest.
type waiting []*waitingLine

func (w waiting) Len() int { return len(w) }
func (w waiting) Less(i, j int) bool {
	return cmp.Or(w[i].at.Compare(w[j].at), cmp.Compare(w[i].number, w[j].number)) < 0
}
func (w waiting) Swap(i, j int) { w[i], w[j] = w[j], w[i] }

// Push implements heap.Interface.
func (w *waiting) Push(x any) {
	if l, ok := x.(*waitingLine); ok {
		*w = append(*w, l)
	}
}

// Pop implements heap.Interface.
func (w *waiting) Pop() any {
	last := len(*w) - 1
	l := (*w)[last]
	(*w)[last] = nil
	*w = (*w)[:last]
	return l
}

func newWindow() *window { return &window{last: map[runKey]time.Time{}} }

// add adds lines of one log.
func (w *window) add(lines []Line, now time.Time) {
	for _, l := range lines {
		key := runKey{l.PodUID, l.Container, l.Restart}
		at := latest(w.last[key], l.Time)
		w.last[key] = at
		w.next++
		one := &waitingLine{line: l, at: at, arrived: now, number: w.next}
		heap.Push(&w.lines, one)
		w.arrived = append(w.arrived, one)
		w.bytes += len(l.Text)
	}
}

// forget removes the state of a log that has ended.
func (w *window) forget(key runKey) { delete(w.last, key) }

// release yields the lines that have waited long enough, and the lines before them. all
// releases everything. It returns false if yield did.
func (w *window) release(now time.Time, all bool, yield func(Line) bool) bool {
	for len(w.arrived) > 0 {
		first := w.arrived[0]
		if !first.out {
			if !all && w.bytes <= windowBytes && now.Sub(first.arrived) < windowTime {
				return true
			}
			l, ok := heap.Pop(&w.lines).(*waitingLine)
			if !ok {
				return true
			}
			l.out = true
			w.bytes -= len(l.line.Text)
			if !yield(l.line) {
				return false
			}
			l.line = Line{}
			continue
		}
		w.arrived[0] = nil
		w.arrived = w.arrived[1:]
	}
	return true
}

// due returns the time of the next work of release; ok is false if no line waits.
func (w *window) due() (at time.Time, ok bool) {
	if len(w.arrived) == 0 {
		return time.Time{}, false
	}
	return w.arrived[0].arrived.Add(windowTime), true
}
