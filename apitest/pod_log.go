package apitest

import (
	"bytes"
	"net/http"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// logSubresource is the log of a pod.
const logSubresource = "log"

// maxLogSize is the size of a container's log above which the server rotates it, as nodes do by default.
const maxLogSize = 10 << 20

// podLogs holds the logs of all pods. In a cluster the nodes have them, not the API server.
type podLogs struct {
	mu   sync.Mutex // guards the following fields; may be taken while Server.mu is held
	pods map[types.UID]map[runKey]*podLog
	wake chan struct{}             // closed, and replaced, by every change
	cuts int                       // calls of CutLogs
	cut  func(http.ResponseWriter) // how the last CutLogs ends a stream
}

// runKey identifies one run of a container by its restart count.
type runKey struct {
	container string
	restart   int32
}

// podLog is the log of one run.
type podLog struct {
	lines   []loggedLine
	dropped int // lines that were rotated away
	size    int
}

// loggedLine is a line with its line end, which only the last line may lack.
type loggedLine struct {
	at   time.Time
	text []byte
}

func (l *podLogs) init() {
	l.pods, l.wake = map[types.UID]map[runKey]*podLog{}, make(chan struct{})
}

// write appends text with the time of its lines.
func (l *podLogs) write(pod types.UID, run runKey, at time.Time, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := l.runLocked(pod, run)
	for rest := []byte(text); len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		log.add(at, rest[:end:end])
		rest = rest[end:]
	}
	l.notifyLocked()
}

func (l *podLogs) runLocked(pod types.UID, run runKey) *podLog {
	if l.pods[pod] == nil {
		l.pods[pod] = map[runKey]*podLog{}
	}
	if l.pods[pod][run] == nil {
		l.pods[pod][run] = &podLog{}
	}
	return l.pods[pod][run]
}

func (l *podLogs) notifyLocked() {
	close(l.wake)
	l.wake = make(chan struct{})
}

// add appends a line, or the rest of a line.
func (l *podLog) add(at time.Time, text []byte) {
	l.size += len(text)
	if n := len(l.lines); n > 0 && !bytes.HasSuffix(l.lines[n-1].text, []byte("\n")) {
		last := &l.lines[n-1]
		last.text = append(last.text[:len(last.text):len(last.text)], text...) // readers share the old text
		return
	}
	if l.size > maxLogSize {
		l.rotate()
		l.size = len(text)
	}
	l.lines = append(l.lines, loggedLine{at: at, text: text})
}

// rotate begins a new file. The lines of the old one are no longer served.
func (l *podLog) rotate() {
	l.dropped += len(l.lines)
	l.lines, l.size = nil, 0
}

// open returns the log of a run, and creates it if necessary. It stays readable after forget.
func (l *podLogs) open(pod types.UID, run runKey) *podLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runLocked(pod, run)
}

// rotate begins a new file for a run.
func (l *podLogs) rotate(pod types.UID, run runKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runLocked(pod, run).rotate()
	l.notifyLocked()
}

// has reports whether the log of a run exists.
func (l *podLogs) has(pod types.UID, run runKey) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pods[pod][run] != nil
}

// forget removes the logs of a deleted pod. Open streams send the rest.
func (l *podLogs) forget(pod types.UID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pods, pod)
	l.notifyLocked()
}

// cutAll ends all open streams.
func (l *podLogs) cutAll(how func(http.ResponseWriter)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cuts, l.cut = l.cuts+1, how
	l.notifyLocked()
}

// logState is the state of the logs at one instant, for a stream.
type logState struct {
	wake <-chan struct{}
	cuts int
	cut  func(http.ResponseWriter)
}

func (l *podLogs) state() logState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return logState{wake: l.wake, cuts: l.cuts, cut: l.cut}
}

// read returns at most a number of lines of a log after a cursor, and the cursor after them. It returns an unfinished
// line only if the caller wants it.
func (l *podLogs) read(log *podLog, cursor, most int, unfinished bool) ([]loggedLine, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	from := max(cursor-log.dropped, 0)
	to := min(from+most, len(log.lines))
	if n := len(log.lines); to == n && n > 0 && !unfinished && !bytes.HasSuffix(log.lines[n-1].text, []byte("\n")) {
		to--
	}
	if from >= to {
		return nil, cursor
	}
	return slices.Clone(log.lines[from:to]), log.dropped + to
}

// seek returns the cursor before the last lines of a log.
func (l *podLogs) seek(log *podLog, tail *int64) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if tail == nil || *tail >= int64(len(log.lines)) {
		return log.dropped
	}
	return log.dropped + len(log.lines) - int(*tail)
}
