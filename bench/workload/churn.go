package workload

import "fmt"

// Sort is a kind of churn.
type Sort string

const (
	// Quiet has no changes.
	Quiet Sort = ""
	// Heartbeats change objects at random.
	Heartbeats Sort = "heartbeats"
	// Rolling replaces the objects of one deployment after the other: the same number of
	// new ones are added and change once, and the old ones are deleted.
	Rolling Sort = "rolling"
	// Deletion deletes one object after the other.
	Deletion Sort = "deletion"
	// Relist ends the watch with 410 Gone repeatedly; in each list one object in a
	// hundred has changed.
	Relist Sort = "relist"
)

// Churn is the changes of a set of objects after the first list.
type Churn struct {
	Sort Sort
	// Events is the number of events; for Relist the number of lists.
	Events int
	// Rate is the number of events per second; zero means as fast as the client reads.
	Rate int
}

// Step is one event of a churn.
type Step struct {
	// Type is the type of a watch event: ADDED, MODIFIED or DELETED.
	Type string
	// Index is the index of the object.
	Index int
}

// Check returns an error if the churn is invalid for a set of n objects.
func (c Churn) Check(n int) error {
	limit := map[Sort]int{Rolling: 3 * n / perDeployment * perDeployment, Deletion: n, Relist: 99}[c.Sort]
	switch {
	case c.Events < 0 || c.Rate < 0:
		return fmt.Errorf("a churn of %d events at %d per second is invalid", c.Events, c.Rate)
	case limit > 0 && c.Events > limit:
		return fmt.Errorf("%s of %d objects has %d events at most, not %d", c.Sort, n, limit, c.Events)
	case c.Sort == Rolling && n%perDeployment != 0:
		return fmt.Errorf("a rolling update needs whole deployments of %d, not %d objects", perDeployment, n)
	}
	return nil
}

// Stamped returns the number of stamped objects that the steps of a set of n need,
// counted from the first.
func (c Churn) Stamped(n int) int {
	switch c.Sort {
	case Quiet:
		return 0
	case Rolling:
		return 2 * n
	case Deletion:
		return min(n, c.Events)
	}
	return n
}

// At returns the k-th step for a set of n objects.
func (c Churn) At(seed uint64, n, k int) Step {
	switch c.Sort {
	case Rolling:
		group, j := k/(3*perDeployment), k%(3*perDeployment)
		i := group*perDeployment + j%perDeployment
		switch j / perDeployment {
		case 0:
			return Step{"ADDED", n + i}
		case 1:
			return Step{"MODIFIED", n + i}
		}
		return Step{"DELETED", i}
	case Deletion:
		return Step{"DELETED", k}
	}
	return Step{"MODIFIED", int(mix(seed+uint64(k)) % uint64(n))}
}

// ChangedBy reports whether the i-th object has changed in the list after the given
// number of relists, and in which of them it changed last.
func ChangedBy(relists, i int) (at int, changed bool) {
	at = i % 100
	return at, at > 0 && at <= relists
}

// mix spreads numbers evenly.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
