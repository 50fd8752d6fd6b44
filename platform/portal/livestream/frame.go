package livestream

import (
	"strconv"
	"time"
)

// Sight is the set of jobs that a person may see. *access.Sight implements it.
type Sight interface {
	All() bool
	// SeesJob reports whether the person may see a job that was created at a time. clusterUID is
	// the UID of its cluster.
	SeesJob(cluster, clusterUID, typ, namespace string, created time.Time) bool
	// SeesPods reports whether the person may see the pods of jobs in a namespace.
	SeesPods(cluster, namespace string) bool
	// SeesCluster reports whether the person may see any job of a cluster.
	SeesCluster(cluster string) bool
	// Key is equal for two sights with the same jobs.
	Key() string
	// Expired returns a channel that is closed when the sight expires; nil if it does not expire.
	Expired() <-chan struct{}
}

func sees(s Sight, e *entry) bool {
	return s.All() || s.SeesJob(e.cluster, e.clusterUID, e.typ, e.namespace, e.created)
}

// The parts of a changes event before, between and after its changes.
var (
	changesBegin = []byte("event: changes\nid: ")
	changesData  = []byte("\ndata: {\"changes\":[")
	changesEnd   = []byte("]}\n\n")
	comma        = []byte(",")
)

// piece is a changes event that is not assembled yet: the data of its entries.
type piece struct {
	data [][]byte
	size int
	last int64 // position of the last considered entry
}

func (p *piece) add(data []byte) {
	p.data = append(p.data, data)
	p.size += len(data) + 1
}

// append appends the event to b.
func (p *piece) append(b []byte, behind int64) []byte {
	b = append(b, changesBegin...)
	b = strconv.AppendInt(b, p.last, 10)
	b = append(b, changesData...)
	for i, d := range p.data {
		if i > 0 {
			b = append(b, comma...)
		}
		b = append(b, d...)
	}
	if behind > 0 {
		b = append(b, `],"behind":`...)
		b = strconv.AppendInt(b, behind, 10)
		return append(b, "}\n\n"...)
	}
	return append(b, changesEnd...)
}
