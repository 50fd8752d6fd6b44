package portal

import (
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/livestream"
)

// changeOf converts a change of the index to a change of the stream, with the details of its row.
func changeOf(c *jobindex.Change, extra jobview.Extra) livestream.Change {
	event := api.Change{Position: int64(c.Position), Kind: c.Kind.String(), Job: jobview.Job(&c.Row, extra), Seen: c.Seen.UTC().Truncate(time.Millisecond), Removed: c.Removed}
	if !c.New {
		event.Before = string(c.Before)
	}
	var bare *api.Change
	if alone := extra.WithoutPods(); alone != extra {
		less := event
		less.Job, bare = jobview.Job(&c.Row, alone), &less
	}
	return livestream.Change{
		Position: int64(c.Position), Cluster: c.Row.Cluster, ClusterUID: c.Row.ClusterUID, Type: c.Row.Type, Namespace: c.Row.Namespace, Created: c.Row.Submitted,
		Seen: c.Seen, Fresh: c.Kind == feed.New, Removed: c.Removed, Event: event, Bare: bare,
	}
}
