package stream_test

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/send/stream"
)

// An event of a transition has the same ID each time it is sent.
func ExampleNewEvent() {
	t := feed.Transition{Version: 88123, From: job.Running, To: job.Failed, Reason: "BackoffLimitExceeded", Happened: time.Unix(1790000000, 0)}
	t.Object.ClusterUID, t.Object.UID, t.Object.Namespace, t.Object.Name = "0e5c", "5b1f", "team-a", "train-7"
	t.Object.Type.Group, t.Object.Type.Resource, t.Object.Type.Kind = "batch", "jobs", "Job"
	e := stream.NewEvent(&t)
	fmt.Println(e.Source, e.ID)
	fmt.Println(e.Subject, e.Data.From, "->", e.Data.To)
	// Output:
	// /vedette/0e5c 5b1f.88123
	// jobs.batch/team-a/train-7 Running -> Failed
}
