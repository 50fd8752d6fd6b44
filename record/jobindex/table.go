package jobindex

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
)

// table has all jobs.
type table struct {
	jobs     map[int64]*Job
	gaps     []history.Gap
	position feed.Position
}

// states are the states in their order.
var states = []state.State{
	"", state.Submitted, state.Queued, state.Suspended, state.Starting, state.Running, state.Restarting, state.Succeeded, state.Failed, state.Aborted, state.Deleted,
}

// rowOf returns the row of a job as of an instant, and false if the job did not exist. past
// says that the instant is not now.
func rowOf(j *Job, at time.Time, past bool, gaps []history.Gap) (Row, bool) {
	if past && j.Submitted.After(at) {
		return Row{}, false
	}
	r := Row{
		ID: j.ID, Cluster: j.Cluster, ClusterUID: j.ClusterUID, Type: j.Type, Kind: j.Kind, Namespace: j.Namespace, Name: j.Name, UID: j.UID, Queue: j.Queue, Owner: j.Owner,
		Priority: j.Priority, State: j.State, Reason: j.Reason, Submitted: j.Submitted, Since: j.Since, Deleted: j.Deleted, GPUs: j.GPUs, Pods: j.Pods, Presence: j.Presence,
		Labels: j.Labels, Version: j.Version,
	}
	entries := j.Entries
	if past {
		if r.Deleted.After(at) {
			r.Deleted, r.Presence = time.Time{}, history.Present
		}
		if j.Since.After(at) {
			n := 0
			for n < len(entries) && !entries[n].At.After(at) {
				n++
			}
			entries = entries[:n]
			r.State, r.Since, r.Reason = state.Submitted, j.Submitted, ""
			if n > 0 {
				r.State, r.Since = entries[n-1].To, entries[n-1].At
			}
		}
	}
	if r.State.Final() {
		r.Ended = r.Since
	}
	end := r.Ended
	if r.Open() {
		if end = at; r.Presence == history.Unknown {
			end = r.Since
		}
	}
	l := history.LifeOf(r.Submitted, entries, end)
	r.Waited, r.Ran, r.Tries = l.Waited, l.Ran, l.Tries
	if len(entries) == len(j.Entries) {
		r.Tries = max(r.Tries, j.Attempt)
	}
	var missing []history.Gap
	for _, g := range gaps {
		if g.ClusterUID == r.ClusterUID && g.Type.String() == r.Type && (g.Namespace == "" || g.Namespace == r.Namespace) {
			missing = append(missing, g)
		}
	}
	if r.Life = l.Spans; missing != nil {
		r.Life = history.Hatch(r.Life, missing, at)
	}
	if n := len(r.Life); r.Open() && n > 0 && r.Presence != history.Unknown {
		r.Life[n-1].To = time.Time{}
	}
	return r, true
}

// sortKey returns the key of a row as a number or a text.
func sortKey(r *Row, key string) (int64, string, bool) {
	switch key {
	case "submitted":
		return r.Submitted.UnixMicro(), "", true
	case "since":
		return r.Since.UnixMicro(), "", true
	case "waited":
		return r.Waited.Microseconds(), "", true
	case "ran":
		return r.Ran.Microseconds(), "", true
	case "gpus":
		return int64(r.GPUs), "", true
	case "tries":
		return int64(r.Tries), "", true
	case "state":
		return int64(slices.Index(states, r.State)), "", true
	case "name":
		return 0, r.Name, true
	case "queue":
		return 0, r.Queue, true
	case "owner":
		return 0, r.Owner, true
	case "namespace":
		return 0, r.Namespace, true
	}
	return 0, "", false
}

// place is a place in an order.
type place struct {
	n    int64
	text string
	id   int64
}

func (p place) cursor(sort string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(sort + " " + strconv.FormatInt(p.n, 10) + " " + strconv.FormatInt(p.id, 10) + " " + p.text))
}

func placeOf(cursor, sort string) (p place, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return p, ErrCursor
	}
	parts := strings.SplitN(string(text), " ", 4)
	if len(parts) != 4 || parts[0] != sort {
		return p, ErrCursor
	}
	n, err1 := strconv.ParseInt(parts[1], 10, 64)
	id, err2 := strconv.ParseInt(parts[2], 10, 64)
	p = place{n, parts[3], id}
	if err1 != nil || err2 != nil || p.cursor(sort) != cursor {
		return p, ErrCursor
	}
	return p, nil
}

func compare(x, y place, down bool) int {
	c := cmp.Or(cmp.Compare(x.n, y.n), cmp.Compare(x.text, y.text), cmp.Compare(x.id, y.id))
	if down {
		return -c
	}
	return c
}
