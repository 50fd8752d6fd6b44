package main

import (
	"net/url"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// logQuery returns the parameters of a request for a log.
func logQuery(o *logs.Options) url.Values {
	q := url.Values{"tail": {"all"}, "bytes": {"true"}, "pod": o.Pods, "container": o.Containers}
	if o.Tail != nil {
		q.Set("tail", strconv.Itoa(*o.Tail))
	}
	if !o.Follow {
		q.Set("present", "true")
	}
	if !o.Since.IsZero() {
		q.Set("since", o.Since.UTC().Format(time.RFC3339Nano))
	}
	for _, n := range o.Attempts {
		q.Add("attempt", strconv.Itoa(n))
	}
	return q
}

// lineOfPortal converts a line of the API to a line of package logs.
func lineOfPortal(l *api.LogLine) logs.Line {
	line := logs.Line{
		Pod: l.Pod, PodUID: l.PodUID, Container: l.Container, Attempt: l.Attempt, Restart: l.Restart, Time: l.Time, Text: l.Text, Cut: l.Cut, Kept: l.Kept, Note: l.Note,
	}
	if l.Bytes != nil {
		line.Text = string(l.Bytes)
	}
	return line
}
