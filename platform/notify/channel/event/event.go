package event

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

const (
	controller  = "vedette.io/notifier" // reportingController
	maxNote     = 1000                  // bytes; the server accepts 1,024
	maxInstance = 128                   // bytes
	timeout     = 20 * time.Second
)

// resource is the type that the channel creates.
var resource = kube.Resource{Group: "events.k8s.io", Version: "v1", Name: "events", Kind: "Event", Scope: kube.Namespaced}

// Options configure a channel.
type Options struct {
	// Clusters are the clusters by the names that messages contain. The channel does not
	// close them.
	Clusters map[string]*kube.Cluster
	// Instance names this replica in Events; "" means the host name.
	Instance string
}

// Channel writes Events to clusters.
type Channel struct {
	clusters map[string]*kube.Cluster
	clients  map[string]*kube.Client[eventsv1.Event]
	instance string
}

// New returns a channel. It sends no request.
//
// Errors: no cluster.
func New(o Options) (*Channel, error) {
	if len(o.Clusters) == 0 {
		return nil, errors.New("a channel for Kubernetes Events needs a cluster")
	}
	c := &Channel{clusters: maps.Clone(o.Clusters), clients: map[string]*kube.Client[eventsv1.Event]{}, instance: o.Instance}
	if c.instance == "" {
		c.instance, _ = os.Hostname() // the server requires a name
	}
	c.instance = message.Limit{Bytes: maxInstance}.Cut(message.Clean(cmp.Or(c.instance, "vedette")))
	for name, cluster := range o.Clusters {
		client, err := kube.For[eventsv1.Event](cluster, kube.ClientConfig{FieldManager: "vedette"})
		if err != nil {
			return nil, fmt.Errorf("cluster %q: %w", name, err)
		}
		c.clients[name] = client
	}
	return c, nil
}

// Traits implements channel.Channel. The low rate protects the API server.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "event", Rate: channel.Rate{Count: 20, Per: time.Second}, Timeout: timeout}
}

// Send implements channel.Channel. It ignores the receiver.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	reason, why := reasonOf(m)
	if m.Kind == message.Test {
		if err := c.Check(ctx); err != nil {
			return channel.Receipt{}, err
		}
		return channel.Receipt{Status: "the rights are there; " + why}, nil
	}
	if reason == "" {
		return channel.Receipt{Status: "no Event: " + why}, nil
	}
	job := m.Notice.Job
	client, ok := c.clients[job.Cluster]
	if !ok {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: fmt.Errorf("no connection to cluster %q is configured; known clusters: %s", message.Clean(job.Cluster), c.names())}
	}
	event := newEvent(m, reason, c.instance)
	event.Regarding.APIVersion = apiVersionOf(ctx, c.clusters[job.Cluster], job.Type)
	_, err := client.Create(ctx, event)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return channel.Receipt{}, failure(ctx, err)
	}
	return channel.Receipt{Status: "Event " + event.Name, Ref: event.Namespace + "/" + event.Name}, nil
}

func (c *Channel) names() string {
	return strings.Join(slices.Sorted(maps.Keys(c.clusters)), ", ")
}

// reasonOf returns the reason of a message's Event. If the message gets no Event, reason
// is empty and why explains it.
func reasonOf(m *message.Message) (reason, why string) {
	n := m.Notice
	switch {
	case m.Kind == message.Digest, m.Kind == message.GapClosed, m.Kind == message.Escalation, m.Kind == message.Test:
		return "", "a message of the kind " + string(m.Kind) + " belongs to no object"
	case n == nil || n.Job.Name == "" || n.Job.UID == "":
		return "", "the message names no object"
	case m.Kind == message.Deleted:
		return "", "the object is deleted"
	case m.Kind == message.StateChanged:
		return string(n.To), "the state is unknown"
	}
	return string(m.Kind), ""
}

// newEvent returns the Event of a message.
func newEvent(m *message.Message, reason, instance string) *eventsv1.Event {
	job := m.Notice.Job
	sum := sha256.Sum256([]byte(m.ID))
	name := "vedette." + strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20]))
	kind := corev1.EventTypeNormal
	if m.Kind == message.Failed || m.Kind == message.Restarted || m.Kind.Timer() {
		kind = corev1.EventTypeWarning
	}
	at := m.Happened
	if at.IsZero() {
		at = time.Now()
	}
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: cmp.Or(job.Namespace, metav1.NamespaceDefault), Name: name},
		EventTime:  metav1.NewMicroTime(at), ReportingController: controller, ReportingInstance: instance, Action: "Notify", Reason: reason, Type: kind,
		Regarding: corev1.ObjectReference{Kind: job.Kind, Namespace: job.Namespace, Name: job.Name, UID: types.UID(job.UID)},
		Note:      message.Limit{Bytes: maxNote}.Cut(cmp.Or(m.Sentence, m.Title)),
	}
}

// apiVersionOf returns the version in which the server serves a type. It may be empty:
// readers find an Event by the UID of its object.
func apiVersionOf(ctx context.Context, cluster *kube.Cluster, name string) string {
	if name == "" {
		return ""
	}
	r, err := cluster.Resolve(ctx, name)
	if err != nil {
		return ""
	}
	return r.APIVersion()
}

// failure returns the error of a request.
func failure(ctx context.Context, err error) *channel.Error {
	e := &channel.Error{Kind: channel.Temporary, Err: errors.New(message.Clean(err.Error()))}
	if cause := context.Cause(ctx); cause != nil {
		e.Err = fmt.Errorf("the API server did not answer in time: %w", cause)
		return e
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return e
	}
	code := int(status.Status().Code)
	e.Status = "HTTP " + strconv.Itoa(code)
	if details := status.Status().Details; details != nil && details.RetryAfterSeconds > 0 {
		e.RetryAfter = time.Duration(details.RetryAfterSeconds) * time.Second
	}
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		e.Kind = channel.Permanent
	case code == 403:
		e.Err = fmt.Errorf("%w; grant create on events.events.k8s.io", e.Err)
	case code == 429:
		e.Kind = channel.Throttled
	case code == 404, code == 400, code == 422:
		e.Kind = channel.Permanent
	}
	return e
}

// Check implements channel.Channel: every cluster answers, and grants the right to create
// Events.
func (c *Channel) Check(ctx context.Context) error {
	var all []error
	for _, name := range slices.Sorted(maps.Keys(c.clusters)) {
		yes, why, err := c.clusters[name].Allowed(ctx, "create", resource, "", "")
		switch {
		case err != nil:
			all = append(all, fmt.Errorf("cluster %q: %w", name, err))
		case !yes:
			all = append(all, fmt.Errorf("cluster %q: create on events.events.k8s.io is missing (%s); grant it to the notifier with a ClusterRole", name, cmp.Or(message.Clean(why), "no reason")))
		}
	}
	return errors.Join(all...)
}

// Close implements channel.Channel. The clusters remain open.
func (c *Channel) Close() error { return nil }
