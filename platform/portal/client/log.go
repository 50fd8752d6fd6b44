package client

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// overlap is the part of a log that is read again after a cut: the clocks of nodes differ, and
// lines of one node may arrive later than those of another.
const overlap = time.Minute

// LogHandler takes the lines of a log.
type LogHandler struct {
	// Found, if not nil, is called before the first line.
	Found func(api.LogsFound)
	Line  func(api.LogLine) error
	// Cut, if not nil, is called when the connection is cut, before a retry.
	Cut func(error)
}

// FollowLogs reads the log of a job as a stream of lines, until the job has ended, or with
// present=true until the last existing line. q has the parameters of the log. After a cut
// connection it continues at the same place, so that no line is lost or repeated.
//
// Errors: *api.Problem; the portal does not answer the first request, or with present=true the
// connection is cut; errors of the handler; the cause of ctx.
func (c *Client) FollowLogs(ctx context.Context, job api.JobRef, q url.Values, to LogHandler) (api.LogEnd, error) {
	f := &logFollower{client: c, job: job, to: to, q: url.Values{}, last: map[logSource]logPlace{}, notes: map[string]bool{}}
	maps.Copy(f.q, q)
	f.q.Set("follow", "true")
	wait := minWait
	for {
		before := f.lines
		err := f.once(ctx)
		if f.ended || !f.opened || q.Get("present") == "true" || ctx.Err() != nil || errors.Is(err, f.refused) {
			if ctx.Err() != nil && !f.ended {
				err = context.Cause(ctx)
			}
			return f.end, err
		}
		var p *api.Problem
		if errors.As(err, &p) {
			if p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests {
				return f.end, err
			}
			wait = max(wait, time.Duration(p.RetryAfter)*time.Second)
		}
		if f.lines != before {
			wait = minWait
		}
		f.cut = true
		if to.Cut != nil {
			to.Cut(err)
		}
		if pause.For(ctx, jittered(wait)) != nil {
			return f.end, context.Cause(ctx)
		}
		wait = min(2*wait, maxWait)
	}
}

// logSource is a run of a container.
type logSource struct {
	pod, container   string
	attempt, restart int
}

// logPlace is the position after the last line of a source: its time, and how many lines had
// it.
type logPlace struct {
	at time.Time
	n  int
}

// logFollower reads a log over several connections. It belongs to one goroutine.
type logFollower struct {
	client *Client
	job    api.JobRef
	q      url.Values
	to     LogHandler

	opened  bool // an event has arrived
	cut     bool // there was a connection before this one
	ended   bool
	end     api.LogEnd
	refused error // error of the handler
	lines   int
	latest  time.Time
	last    map[logSource]logPlace
	notes   map[string]bool        // that were handed over
	again   map[logSource]logPlace // lines of this connection that were handed over on earlier ones
}

// once reads one connection.
func (f *logFollower) once(ctx context.Context) error {
	if !f.latest.IsZero() {
		f.q.Set("since", f.latest.Add(-overlap).UTC().Format(time.RFC3339Nano))
		f.q.Set("tail", "all")
	}
	f.again = map[logSource]logPlace{}
	maps.Copy(f.again, f.last)
	var failed error
	err := f.client.events(ctx, of(api.PathLogs, f.job), f.q, func(one frame) bool {
		f.opened = true
		failed = f.event(one)
		return failed == nil && !f.ended
	})
	if failed != nil || f.ended {
		return failed
	}
	return err
}

// event takes one event.
func (f *logFollower) event(one frame) error {
	switch one.event {
	case "found":
		var found api.LogsFound
		if err := json.Unmarshal([]byte(one.data), &found); err != nil {
			return err
		}
		if f.to.Found != nil && f.lines == 0 {
			f.to.Found(found)
		}
	case "line":
		var l api.LogLine
		if err := json.Unmarshal([]byte(one.data), &l); err != nil {
			return err
		}
		return f.line(l)
	case "problem":
		p := new(api.Problem)
		if err := json.Unmarshal([]byte(one.data), p); err != nil {
			return err
		}
		return p
	case "rights":
		return &api.Problem{Type: api.ProblemDenied, Title: "The right has ended", Status: http.StatusForbidden, Detail: "You may no longer read this log."}
	case "end":
		f.ended = true
		return json.Unmarshal([]byte(one.data), &f.end)
	}
	return nil
}

// line hands a line over, unless it was handed over before a cut.
func (f *logFollower) line(l api.LogLine) error {
	if f.told(&l) {
		return nil
	}
	f.lines++
	f.refused = f.to.Line(l)
	return f.refused
}

// told reports whether a line was handed over before, and remembers it.
func (f *logFollower) told(l *api.LogLine) bool {
	if l.Note != "" {
		told := f.cut && f.notes[l.Note]
		f.notes[l.Note] = true
		return told
	}
	source := logSource{l.Pod, l.Container, l.Attempt, l.Restart}
	if before, ok := f.again[source]; ok {
		if l.Time.Before(before.at) {
			return true
		}
		if l.Time.Equal(before.at) && before.n > 0 {
			before.n--
			f.again[source] = before
			return true
		}
	}
	place := f.last[source]
	if !l.Time.Equal(place.at) {
		place = logPlace{at: l.Time}
	}
	place.n++
	f.last[source] = place
	if l.Time.After(f.latest) {
		f.latest = l.Time
	}
	return false
}
