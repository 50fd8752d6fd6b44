package reflector

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Source opens lists and watches of one scope. kube.Collection implements it. The context
// is valid as long as the returned stream: canceling it ends a pending read. If a Source
// is a fmt.Stringer, errors use its String as the name. An error that wraps
// ErrSourceEnded ends the run; the reflector retries after every other error.
type Source interface {
	List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error)
}

// Recoverer is an optional interface of a Source that observes the outcome of other
// requests to the same server. While a reflector waits because the server was
// unreachable, denied a request, or did not serve a type, the recovery of another request
// makes it retry early, but no sooner than backoff from Config.MinBackoff allows.
// kube.Source implements it.
type Recoverer interface {
	// Recovered returns a channel that is closed when a request succeeds after a
	// failure.
	Recovered() <-chan struct{}
}

// Sink takes the deltas in order. It may block, which is the backpressure. *delta.Queue
// implements it.
type Sink interface {
	Put(ctx context.Context, d delta.Delta) error
}

// ErrSourceEnded is the error of a Source that cannot be followed any longer, such as one
// whose cluster was replaced by another. If List, Watch or a read of a stream returns an
// error that wraps it, Run makes no further request and returns that error.
var ErrSourceEnded = errors.New("reflector: the source has ended")

// Orderer is an optional interface of a Source that can find out whether the server
// orders versions. A reflector asks after it has opened a list or a watch. kube.Source
// and kube.Collection implement it.
//
// If the server is known to order versions, an event that is older than an earlier one
// is a stale replay. If the order is unknown, such an event proves that the server does
// not order versions, and so does an object in a list that is newer than the list.
type Orderer interface {
	// Ordered reports whether the server orders versions, and whether that is known. It
	// may ask the server, but must return within seconds.
	Ordered(ctx context.Context) (ordered, known bool)
}

// ErrListNeeded is returned by Run if Config.Lists is NeverList and no watch can
// continue: the server no longer has the version, never had it, or does not serve the
// type.
var ErrListNeeded = errors.New("reflector: no watch can continue without a list")

// ErrRestored is returned by Run if Config.Lists is EndIfRestored and the server has lost
// versions that it had sent, as after a restore of etcd from a backup. Its next versions name
// other changes than before.
var ErrRestored = errors.New("reflector: the server has lost versions that it had sent")
