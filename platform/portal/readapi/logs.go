package readapi

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/submit"
)

// Limits of a page of a log.
const (
	defaultLines = 500
	maxBack      = 20_000          // maximum distance of a page from the end, in lines
	maxTail      = 1 << 20         // lines of a run of a container that are read for a page
	maxLogBytes  = 8 << 20         // text of a page; more lines are on the next one
	sameTime     = 64              // lines that are read before a page, to count those with the same microsecond
	liveTime     = 3 * time.Second // for the cluster, if lines are kept
)

var errSlowCluster = errors.New("the cluster did not give the log in 3 s")

// logsInput selects a part of the log of a job.
type logsInput struct {
	JobPath
	AtInput
	Follow    bool     `query:"follow" doc:"Answer with server-sent events until the job has ended"`
	Pod       []string `query:"pod,explode" maxItems:"50" doc:"The names of pods, by default all"`
	Container []string `query:"container,explode" maxItems:"50" doc:"The names of containers, by default all"`
	Attempt   []int    `query:"attempt,explode" maxItems:"50" doc:"The numbers of attempts, by default all; -1 is the last one"`
	Since     string   `query:"since" maxLength:"64" doc:"Leaves out older lines: a time, or an age"`
	Limit     int      `query:"limit" minimum:"0" maximum:"5000" doc:"How many lines, 500 by default"`
	Tail      string   `query:"tail" maxLength:"20" doc:"With follow=true: how many lines of each run of a container, from the end, or all; by default the limit"`
	Present   bool     `query:"present" doc:"With follow=true: end after the existing lines"`
	Bytes     bool     `query:"bytes" doc:"With follow=true: add the bytes of lines that are not UTF-8"`
	After     string   `query:"after" maxLength:"128" doc:"The cursor next or previous of another page; by default the page ends with the last line"`
}

// logSource is the source of the log of a job.
type logSource struct {
	row     *jobindex.Row
	options logs.Options
	pods    *jobview.PodSet
	kept    []joblog.Log
	live    bool
	unasked bool      // the cluster is unreachable
	at      time.Time // the last instant of the lines; zero: now
}

// openLog returns the source of the log of a job.
//
// Errors: *api.Problem: the job is unknown, or the person may not read logs; those of the database.
func openLog(r *reader, ctx context.Context, in *logsInput) (*logSource, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	if err := mayRead(r, ctx, access.Logs, row); err != nil {
		return nil, err
	}
	object, err := r.object(ctx, row)
	if err != nil {
		return nil, err
	}
	s := &logSource{row: row, at: q.At}
	if !s.at.IsZero() && in.Follow {
		return nil, web.Invalid("A log of the past cannot be followed.", api.FieldProblem{Field: "follow", Message: "leave it out, or at"})
	}
	if s.options.Since, err = momentOf(in.Since, "since", q.now); err != nil {
		return nil, err
	}
	if s.pods, err = podsOf(r, ctx, object, q.At); err != nil {
		return nil, err
	}
	if s.kept, err = keptOf(r, ctx, &object, q.At); err != nil {
		return nil, err
	}
	s.options.Job, err = submittedJob(r, ctx, &object)
	if err != nil {
		return nil, err
	}
	s.options.Kept, s.options.ClusterUID = r.logs, object.ClusterUID
	s.options.Pods, s.options.Containers, s.options.Attempts = in.Pod, in.Container, slices.DeleteFunc(in.Attempt, func(n int) bool { return n == 0 })
	if r.Cluster != nil && slices.Contains(r.Clusters, row.Cluster) {
		if s.options.Cluster, err = r.Cluster(ctx, row.Cluster); err != nil {
			s.options.Cluster, s.unasked = nil, true // kept lines are shown
		}
	}
	s.live = s.options.Cluster != nil && row.Open() && s.at.IsZero()
	return s, nil
}

// submittedJob returns the job of an object of the history, with its last body if it is
// recorded: the selector of its pods shortens the search.
func submittedJob(r *reader, ctx context.Context, o *history.Object) (submit.Job, error) {
	bodies, err := r.history.Bodies(ctx, []history.Object{*o})
	if err != nil {
		return submit.Job{}, err
	}
	resource := kube.Resource{Group: o.Type.Group, Name: o.Type.Resource, Kind: o.Type.Kind, Singular: strings.ToLower(o.Type.Kind), Scope: kube.Namespaced}
	job := submit.Job{Resource: resource, Namespace: o.Namespace, Name: o.Name, UID: o.UID}
	var fields map[string]any
	if decode(bodies[o.ID], &fields) == nil && fields != nil {
		job.Object = &unstructured.Unstructured{Object: fields}
	}
	return job, nil
}

// readLog answers with a page of the log of a job. Without a cursor it is the end of the log. If
// the cluster does not answer, the page has the kept lines, and a note.
func readLog(r *reader, ctx context.Context, in *logsInput) (*api.LogPage, error) {
	s, err := openLog(r, ctx, in)
	if err != nil {
		return nil, err
	}
	if len(s.kept) == 0 || s.options.Cluster == nil {
		return s.page(ctx, in)
	}
	live, cancel := context.WithTimeoutCause(ctx, liveTime, errSlowCluster)
	page, err := s.page(live, in)
	cancel()
	if !away(err) || ctx.Err() != nil {
		return page, err
	}
	s.options.Cluster, s.live = nil, false
	if page, err = s.page(ctx, in); err == nil {
		page.Away = true
	}
	return page, err
}

// away reports whether an error means that the cluster does not answer or has no log.
func away(err error) bool {
	var request *kube.RequestError
	var denied *submit.DeniedError
	return errors.Is(err, errSlowCluster) || errors.As(err, &request) || errors.As(err, &denied)
}

// page reads a page of the log.
func (s *logSource) page(ctx context.Context, in *logsInput) (*api.LogPage, error) {
	limit := in.Limit
	if limit == 0 {
		limit = defaultLines
	}
	page := &api.LogPage{Live: s.live, Kept: jobview.Kept(s.pods, s.kept), Sources: jobview.Sources(s.pods, s.kept)}
	if in.After == "" {
		c := logCursor{back: true}
		if !s.at.IsZero() {
			c.at = s.at.UnixMicro()
		}
		return page, s.tail(ctx, page, c, limit)
	}
	switch c, err := parseLogCursor(in.After); {
	case err != nil:
		return nil, err
	case c.back:
		return page, s.tail(ctx, page, c, limit)
	default:
		return page, s.forward(ctx, page, c, limit)
	}
}

// tail fills a page with the lines before a cursor.
func (s *logSource) tail(ctx context.Context, page *api.LogPage, c logCursor, limit int) error {
	if c.n > maxBack {
		return badCursor()
	}
	most := c.n + limit
	if c.at == 0 {
		most = limit
	}
	o := s.options
	read := most + sameTime
	o.Tail = &read
	if len(o.Attempts) == 0 && c.at == 0 {
		o.Attempts = []int{-1} // the end is in the last attempt, unless the attempt is short
	}
	lines, left, later, err := lastLines(ctx, o, c, most)
	if err == nil && len(lines) < most && len(s.options.Attempts) == 0 && c.at == 0 {
		o.Attempts = nil
		lines, left, _, err = lastLines(ctx, o, c, most)
	}
	// Lines after the cursor replace those before it.
	for known := 0; err == nil && later > 0 && len(lines) < most && later+len(lines) > known && read < maxTail; {
		known, read = later+len(lines), min(2*(read+later), maxTail)
		lines, left, later, err = lastLines(ctx, o, c, most)
	}
	if err := s.explain(page, err, len(lines)); err != nil {
		return err
	}
	end := max(len(lines)-c.n, 0)
	page.Lines = append(page.Lines, lines[:end]...)
	if c.at == 0 {
		c.at = lastTime(lines)
	}
	if len(lines) > end || c.n == 0 {
		next := behind(lines, end)
		if next.at == left.at {
			next.n += left.n
		}
		page.Next = next.String()
	}
	if left.n > 0 || len(lines) >= most {
		c.n += end
		if c.n > 0 && c.n <= maxBack && end > 0 {
			page.Previous = c.String()
		}
	}
	return nil
}

// lastLines returns the last lines of a log up to the microsecond of a cursor. left has the
// microsecond of the last omitted line before them, and how many lines in a row had it. later is
// the number of lines after the cursor.
func lastLines(ctx context.Context, o logs.Options, c logCursor, most int) (lines []api.LogLine, left logCursor, later int, err error) {
	size := 0
	for l, err := range logs.Read(ctx, o) {
		if err != nil {
			return lines, left, later, err
		}
		if c.at != 0 && l.Time.UnixMicro() > c.at {
			later++
			continue
		}
		lines = append(lines, lineOf(&l))
		for size += len(l.Text); len(lines) > most || size > maxLogBytes; {
			if at := lines[0].Time.UnixMicro(); at == left.at {
				left.n++
			} else {
				left = logCursor{at: at, n: 1}
			}
			size -= len(lines[0].Text)
			lines[0] = api.LogLine{} // frees the text
			lines = lines[1:]
		}
	}
	return lines, left, later, nil
}

// forward fills a page with the lines after a cursor.
func (s *logSource) forward(ctx context.Context, page *api.LogPage, c logCursor, limit int) error {
	o := s.options
	if at := c.time(); at.After(o.Since) {
		o.Since = at
	}
	fresh := unread{c.at, c.n}
	size := 0
	var failed error
	for l, err := range logs.Read(ctx, o) {
		if err != nil {
			failed = err
			break
		}
		if !fresh.is(&l) {
			continue
		}
		page.Lines = append(page.Lines, lineOf(&l))
		if size += len(l.Text); len(page.Lines) >= limit || size > maxLogBytes {
			break
		}
	}
	if err := s.explain(page, failed, len(page.Lines)); err != nil {
		return err
	}
	page.Next = c.String()
	if len(page.Lines) > 0 {
		next := behind(page.Lines, len(page.Lines))
		if next.at == c.at {
			next.n += c.n
		}
		page.Next = next.String()
	}
	return nil
}

// unread returns whether a line is after a cursor. Lines before it, and notes, were already sent.
type unread struct {
	at   int64
	skip int // lines of the microsecond that were already sent
}

func (u *unread) is(l *logs.Line) bool {
	at := l.Time.UnixMicro()
	if at == u.at && u.skip > 0 && l.Note == "" {
		u.skip--
		return false
	}
	return l.Note == "" && at >= u.at
}

// unanswered is the note next to which lines may be missing.
const unanswered = "The API server did not answer, so lines may be missing."

// explain converts an error of a log to a note if the page has lines, and to nothing if there is
// nothing to read.
func (s *logSource) explain(page *api.LogPage, err error, lines int) error {
	if page.Lines == nil {
		page.Lines = []api.LogLine{}
	}
	var none *logs.NoLogsError
	var request *kube.RequestError
	switch {
	case err == nil, errors.As(err, &none):
		return nil
	case errors.As(err, &request) && lines > 0 && len(s.kept) == 0:
		page.Live = false
		page.Lines = append(page.Lines, api.LogLine{Note: unanswered})
		return nil
	}
	return err
}

// lineOf returns a line for the API.
func lineOf(l *logs.Line) api.LogLine {
	line := api.LogLine{Pod: l.Pod, Container: l.Container, Attempt: l.Attempt, Text: l.Text, Cut: l.Cut, Kept: l.Kept, Note: l.Note}
	if !l.Time.IsZero() {
		line.Time = l.Time.UTC()
	}
	return line
}

// behind returns the cursor after the first end lines.
func behind(lines []api.LogLine, end int) (c logCursor) {
	c.at = lastTime(lines[:end])
	for i := end - 1; i >= 0; i-- {
		if l := &lines[i]; l.Note == "" && l.Time.UnixMicro() == c.at {
			c.n++
		}
	}
	return c
}

// lastTime returns the latest microsecond of lines; 1 if no line has a time.
func lastTime(lines []api.LogLine) int64 {
	at := int64(1)
	for i := range lines {
		if l := &lines[i]; l.Note == "" && !l.Time.IsZero() {
			at = max(at, l.Time.UnixMicro())
		}
	}
	return at
}
