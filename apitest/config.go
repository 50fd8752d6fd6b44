package apitest

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Defaults of the fields of Config.
const (
	// DefaultVersion is the resource version an empty server stands at.
	DefaultVersion = 1
	// DefaultWindow is the number of events a server remembers for each type.
	DefaultWindow = 1000
	// DefaultBookmarkInterval is the time between two periodic bookmarks of one watch.
	DefaultBookmarkInterval = time.Minute
	// DefaultWatchTimeout is the length of a watch that names no timeoutSeconds.
	DefaultWatchTimeout = 30 * time.Minute
	// DefaultRequestLog is the number of requests Requests can give back.
	DefaultRequestLog = 10_000
	// DefaultRelease is the version of Kubernetes that /version reports.
	DefaultRelease = "v1.37.0"
)

// Streaming says whether a server knows streaming lists (a watch with sendInitialEvents=true).
type Streaming int

const (
	// StreamingSupported serves streaming lists, as servers do by default since Kubernetes 1.34.
	StreamingSupported Streaming = iota
	// StreamingRefused answers sendInitialEvents with 422 Invalid, as a server does whose WatchList gate is off.
	StreamingRefused
)

// Config describes a server. The zero value is a server with all built-in types, no custom ones, and no access control.
type Config struct {
	// Version is the resource version the server starts at; the first write gets the next one. Default 1.
	// Set it just below a power of ten to catch a client that compares versions as text.
	Version uint64
	// Window is the number of events remembered for each type, default 1,000. What is older cannot be watched from,
	// listed at, or continued: the answer is 410. Lower it to provoke 410, raise it for slow watchers. Each event holds
	// the bytes of the object before and after it.
	Window int
	// BookmarkInterval is the time between periodic bookmarks of a watch that allows them, default one minute.
	// A negative value sends none but those that end a streaming list or precede a timeout.
	BookmarkInterval time.Duration
	// WatchTimeout is how long a watch lasts that names no timeoutSeconds itself, default 30 minutes.
	WatchTimeout time.Duration
	// StreamingLists is StreamingSupported by default; StreamingRefused stands in for an older server.
	StreamingLists Streaming
	// Types are the custom resources known from the start, none by default; Register adds more at any time.
	Types []Type
	// Tokens maps bearer tokens to user names. If it is empty, the default, every request is let in as "anonymous";
	// if not, a request without one of these tokens is answered 401. The server keeps the map: do not change it.
	Tokens map[string]string
	// Authorize, if not nil, decides about every request for a resource after authentication. Its error is answered as
	// 403 Forbidden, or as the very Status it carries. It answers SelfSubjectAccessReviews too, and is not asked about reviews. It is called from many goroutines at once and must not block.
	Authorize func(Request) error
	// Admit, if not nil, gets each object of a type that a client is about to create or replace, for a patch with its result, in the
	// Go type that is kept. It may change the object, as defaults and webhooks do. Its error is answered as 403 Forbidden,
	// as quotas are, or as the very Status it carries. It is not asked about status, scale and deletions. It is called
	// from many goroutines at once, again if another writer was faster, and must not write to the server.
	Admit func(Request, metav1.Object) error
	// CheckNamespaces answers 404 to a client that creates an object in a namespace that does not exist, as real servers
	// do. By default any namespace will do.
	CheckNamespaces bool
	// RequestLog is how many of the latest requests are remembered for Requests, default 10,000.
	RequestLog int
	// Release is the version of Kubernetes that /version reports, default "v1.37.0".
	Release string
}

// withDefaults fills in what is zero and refuses what makes no sense.
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
	case c.StreamingLists != StreamingSupported && c.StreamingLists != StreamingRefused:
		return c, fmt.Errorf("%w: StreamingLists is %d", ErrConfig, c.StreamingLists)
	}
	return c, nil
}
