package apitest

import (
	"fmt"
	"log/slog"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/userlog"
)

// Defaults of the fields of Config.
const (
	// DefaultVersion is the resource version of an empty server.
	DefaultVersion = 1
	// DefaultWindow is the number of events a server remembers for each type.
	DefaultWindow = 1000
	// DefaultBookmarkInterval is the time between two periodic bookmarks of one watch.
	DefaultBookmarkInterval = time.Minute
	// DefaultWatchTimeout is the duration of a watch without timeoutSeconds.
	DefaultWatchTimeout = 30 * time.Minute
	// DefaultRequestLog is the maximum number of requests that Requests returns.
	DefaultRequestLog = 10_000
	// DefaultRelease is the version of Kubernetes that /version reports.
	DefaultRelease = "v1.37.0"
)

// Streaming determines whether a server supports streaming lists (a watch with sendInitialEvents=true).
type Streaming int

const (
	// StreamingSupported serves streaming lists, as servers do by default since Kubernetes 1.34.
	StreamingSupported Streaming = iota
	// StreamingRefused answers sendInitialEvents with 422 Invalid, like a server whose WatchList gate is off.
	StreamingRefused
)

// Config configures a server. The zero value is a server with all built-in types, no custom types, and no access
// control.
type Config struct {
	// Version is the resource version at the start; the first write gets the next one. Default 1. Set it just below a
	// power of ten to find a client that compares versions as text.
	Version uint64
	// Window is the number of events that the server keeps for each type, default 1,000. Watches, exact lists and
	// continuations from an earlier version are answered 410. Decrease it to provoke 410, increase it for slow
	// watchers. Each event holds the bytes of the object before and after it.
	Window int
	// BookmarkInterval is the time between periodic bookmarks of a watch that allows them, default one minute. If it is
	// negative, the server only sends the bookmarks that end a streaming list or precede a timeout.
	BookmarkInterval time.Duration
	// WatchTimeout is the duration of a watch without timeoutSeconds, default 30 minutes.
	WatchTimeout time.Duration
	// StreamingLists is StreamingSupported by default; StreamingRefused simulates an older server.
	StreamingLists Streaming
	// Types are the custom resources at the start, none by default; Register adds more at any time.
	Types []Type
	// Tokens maps bearer tokens to user names. If it is empty (the default), every request is accepted as user
	// "anonymous"; otherwise a request without one of these tokens is answered 401. The server keeps the map: do not
	// change it.
	Tokens map[string]string
	// Authorize, if not nil, decides about every request for a resource after authentication. Its error is answered as
	// 403 Forbidden, or as the Status that it contains. It also decides the answers of SelfSubjectAccessReviews, but is
	// not called for the review request itself. Many goroutines call it at the same time, and it must not block.
	Authorize func(Request) error
	// Rules answers SelfSubjectRulesReviews: the rights of a user in a namespace, which should be those that Authorize
	// allows. If it is nil (the default), the answer is incomplete and has no rules, as of an authorizer that cannot
	// list rights. Many goroutines call it at the same time.
	Rules func(user string, groups []string, namespace string) authorizationv1.SubjectRulesReviewStatus
	// Admit, if not nil, is called with each object that a client creates or replaces, and with the result of each
	// patch, in the stored Go type. It may change the object, as defaults and webhooks do. Its error is answered as 403
	// Forbidden, as for quotas, or as the Status that it contains. It is not called for status, scale and deletions.
	// Many goroutines call it at the same time, and again if another writer was faster. It must not write to the
	// server.
	Admit func(Request, metav1.Object) error
	// CheckNamespaces answers 404 to a client that creates an object in a namespace that does not exist, as real
	// servers do. By default namespaces need not exist.
	CheckNamespaces bool
	// ShardSelectors makes the server select objects by the shardSelector of a request and name the selector in lists, as
	// servers do whose gate ShardedListAndWatch is on (KEP-5866, alpha in Kubernetes 1.36). By default the server ignores
	// the parameter, as others do.
	ShardSelectors bool
	// CBOR determines whether custom objects are served and accepted as CBOR; default CBOROff, as on servers whose gate
	// CBORServingAndStorage is off.
	CBOR CBOR
	// Ownership determines which objects have metadata.managedFields; default OwnershipAfterApply.
	Ownership Ownership
	// GarbageCollection determines what happens to objects whose owners are deleted; default GarbageStays.
	GarbageCollection GarbageCollection
	// SystemNamespaces creates the namespaces default, kube-system, kube-public and kube-node-lease at the start, as real
	// servers do. The first write of a client is then the fifth.
	SystemNamespaces bool
	// Now returns the time that objects and logs get; default time.Now. Many goroutines call it at the same time.
	Now func() time.Time
	// RequestLog is the number of latest requests that are kept for Requests, and of writes for Writes; default 10,000.
	RequestLog int
	// Logger receives a warning for each definition with rules in x-kubernetes-validations, which the server does not
	// evaluate. Default slog.Default() at the time of the line.
	Logger *slog.Logger
	// Release is the version of Kubernetes that /version reports, default "v1.37.0".
	Release string
}

// withDefaults sets defaults for zero fields, and returns an error for invalid ones.
func (c Config) withDefaults() (Config, error) {
	if c.Version == 0 {
		c.Version = DefaultVersion
	}
	if c.Window == 0 {
		c.Window = DefaultWindow
	}
	if c.BookmarkInterval == 0 {
		c.BookmarkInterval = DefaultBookmarkInterval
	}
	if c.WatchTimeout == 0 {
		c.WatchTimeout = DefaultWatchTimeout
	}
	if c.RequestLog == 0 {
		c.RequestLog = DefaultRequestLog
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Logger = userlog.Of(c.Logger)
	if c.Release == "" {
		c.Release = DefaultRelease
	}
	switch {
	case c.Window < 0:
		return c, fmt.Errorf("%w: Window is %d", ErrConfig, c.Window)
	case c.WatchTimeout < 0:
		return c, fmt.Errorf("%w: WatchTimeout is %s", ErrConfig, c.WatchTimeout)
	case c.RequestLog < 0:
		return c, fmt.Errorf("%w: RequestLog is %d", ErrConfig, c.RequestLog)
	case c.CBOR > CBORServed || c.CBOR < 0:
		return c, fmt.Errorf("%w: CBOR is %d", ErrConfig, c.CBOR)
	case c.Ownership > OwnershipAlways || c.Ownership < 0:
		return c, fmt.Errorf("%w: Ownership is %d", ErrConfig, c.Ownership)
	case c.GarbageCollection > GarbageGoes || c.GarbageCollection < 0:
		return c, fmt.Errorf("%w: GarbageCollection is %d", ErrConfig, c.GarbageCollection)
	case c.StreamingLists != StreamingSupported && c.StreamingLists != StreamingRefused:
		return c, fmt.Errorf("%w: StreamingLists is %d", ErrConfig, c.StreamingLists)
	}
	return c, nil
}

// CBOR determines whether a server has the encoding CBOR (KEP-4222).
type CBOR int

const (
	// CBOROff serves JSON and protobuf.
	CBOROff CBOR = iota
	// CBORServed also serves and accepts custom objects as CBOR.
	CBORServed
)

// Ownership determines which objects have metadata.managedFields.
type Ownership int

const (
	// OwnershipAfterApply tracks the owners of the fields of an object from its first server-side apply on. Other objects
	// have the managed fields that clients write, usually none.
	OwnershipAfterApply Ownership = iota
	// OwnershipAlways tracks the owners of the fields of all objects that clients write, as a real server does.
	OwnershipAlways
)

// GarbageCollection determines what happens to objects whose owners are deleted.
type GarbageCollection int

const (
	// GarbageStays leaves them, like an API server without a controller manager.
	GarbageStays GarbageCollection = iota
	// GarbageGoes deletes an object once none of its owners exists, as the garbage collector of a cluster does, but within
	// the request that deletes the last owner. The propagation policies Background, Foreground and Orphan have effect.
	GarbageGoes
)
