package stage

import (
	"flag"
	"time"
)

// Flags of several packages.
var (
	Jobs        = flag.Int64("jobs", 40, "number of batch Jobs that run meanwhile")
	Outage      = flag.Duration("outage", 3*time.Second, "duration of outages of the database; networks are cut for a third of it, but at least 2 seconds")
	Transitions = flag.Int("transitions", 600, "number of transitions to notify of")
	Sharing     = flag.Int("sharing", 3, "number of recorders that share the work")
	Disturbance = flag.Duration("disturbance", 12*time.Second, "how long recorders that share the work are disturbed")
)
