package jobindex

import (
	"time"

	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/history"
)

// View is one consistent state of the index. It is valid until the function returns that was
// given to Index.View.
type View struct {
	t   *table
	now time.Time
}

// Now returns the time that open spans last until, and Position the position in the feed that
// the view includes.
func (v *View) Now() time.Time { return v.now }

// Position returns the position in the feed that the view includes.
func (v *View) Position() feed.Position { return v.t.position }

// Len returns the number of jobs.
func (v *View) Len() int { return len(v.t.jobs) }

// Gaps returns the open gaps, in the order in which they were recorded: times in which something
// was not watched and that nobody has filled in. The caller does not change them.
func (v *View) Gaps() []history.Gap { return v.t.gaps }

// Job returns the row of the job with a UID as of an instant; zero: now. cluster is the name or
// the UID of a cluster. It returns false if the job did not exist.
func (v *View) Job(cluster, uid string, at time.Time) (Row, bool) {
	var newest *Job
	for _, j := range v.t.jobs {
		if j.UID == uid && (j.Cluster == cluster || j.ClusterUID == cluster) && (newest == nil || j.ID > newest.ID) {
			newest = j
		}
	}
	return v.row(newest, at)
}

// ByID returns the row of the job with a number in the database.
func (v *View) ByID(id int64) (Row, bool) { return v.row(v.t.jobs[id], time.Time{}) }

// Newest returns the row of the newest job that had a name: the one that was submitted last.
// cluster is the name or the UID of a cluster; empty: any.
func (v *View) Newest(cluster, typ, namespace, name string) (Row, bool) {
	var newest *Job
	for _, j := range v.t.jobs {
		if j.Name != name || j.Namespace != namespace || j.Type != typ || cluster != "" && j.Cluster != cluster && j.ClusterUID != cluster {
			continue
		}
		if newest == nil || j.Submitted.After(newest.Submitted) || j.Submitted.Equal(newest.Submitted) && j.ID > newest.ID {
			newest = j
		}
	}
	return v.row(newest, time.Time{})
}

func (v *View) row(j *Job, at time.Time) (Row, bool) {
	if j == nil {
		return Row{}, false
	}
	past := !at.IsZero()
	if !past {
		at = v.now
	}
	return rowOf(j, at, past, v.t.gaps)
}
