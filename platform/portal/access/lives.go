package access

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// Limits of the answers about namespaces.
const (
	namespacesOfPage = 250
	maxNamespaces    = 16 << 20 // bytes of a page: annotations may be long
)

// lives has the namespaces of a cluster as they exist now. A right in a namespace counts for the
// objects that were created in its present life, and not for those of an older namespace or an older
// cluster of the same name.
//
// A life is read after the right was reviewed. Then the right cannot be younger than the life, so the
// owner of a new namespace never gets the objects of the old one.
type lives struct {
	cluster string               // UID of the cluster; empty if it may not be read
	born    map[string]time.Time // by namespace; one that does not exist is missing
	trusted bool                 // namespaces may not be read: their names are trusted
}

// since reports whether a person with a right in a namespace, or in all, sees its objects, and those
// created from which time on. A nil lives hides nothing. An empty UID is the present cluster.
func (l *lives) since(clusterUID, namespace string, all bool) (time.Time, bool) {
	switch {
	case l == nil:
		return time.Time{}, true
	case l.cluster != "" && clusterUID != "" && clusterUID != l.cluster:
		return time.Time{}, false
	case all || l.trusted:
		return time.Time{}, true
	}
	born, exists := l.born[namespace]
	return born, exists
}

// lives reads the identity of the cluster and the birth of some of its namespaces.
//
// Errors: the API server does not answer.
func (s *survey) lives(ctx context.Context, namespaces []string) (*lives, error) {
	l := &lives{born: map[string]time.Time{}}
	var err error
	switch l.cluster, err = s.kube.Identity(ctx, time.Now()); {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err): // no cluster can be told from another
	case err != nil:
		return nil, fmt.Errorf("identify the cluster: %w", err)
	}
	if len(namespaces) == 0 {
		return l, nil
	}
	if len(namespaces) > reviewEach {
		err = s.listBirths(ctx, l)
	} else {
		err = s.getBirths(ctx, l, namespaces)
	}
	if denied := apierrors.IsForbidden(err); denied || err == nil {
		l.trusted = denied
		s.trusted.Store(denied)
		s.births.See(faultlog.State{Err: err})
		return l, nil
	}
	return nil, fmt.Errorf("read namespaces: %w", err)
}

// getBirths reads single namespaces.
func (s *survey) getBirths(ctx context.Context, l *lives, namespaces []string) error {
	var mu sync.Mutex
	return each(ctx, namespaces, func(ctx context.Context, name string) error {
		var one metav1.PartialObjectMetadata
		err := s.read(ctx, "/api/v1/namespaces/"+url.PathEscape(name), nil, "PartialObjectMetadata", &one)
		if apierrors.IsNotFound(err) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			l.born[name] = one.CreationTimestamp.Time
		}
		return err
	})
}

// listBirths reads all namespaces of the cluster.
func (s *survey) listBirths(ctx context.Context, l *lives) error {
	for query := (url.Values{"limit": {strconv.Itoa(namespacesOfPage)}}); ; {
		var page metav1.PartialObjectMetadataList
		if err := s.read(ctx, "/api/v1/namespaces", query, "PartialObjectMetadataList", &page); err != nil {
			return err
		}
		for i := range page.Items {
			l.born[page.Items[i].Name] = page.Items[i].CreationTimestamp.Time
		}
		if page.Continue == "" {
			return nil
		}
		query.Set("continue", page.Continue)
	}
}

// read decodes the metadata that the API server answers.
func (s *survey) read(ctx context.Context, path string, query url.Values, as string, into any) error {
	accept := "application/json;as=" + as + ";g=meta.k8s.io;v=v1,application/json"
	answer, err := s.kube.Do(ctx, kube.Request{Method: http.MethodGet, Path: path, Query: query, Accept: accept})
	if err != nil {
		return err
	}
	defer answer.Close()
	return json.NewDecoder(io.LimitReader(answer, maxNamespaces)).Decode(into)
}

// Since is Sight.Since for objects that are no jobs: it reports whether a person who has a right in a
// namespace, or in all, sees the recorded objects there, and those created from which time on. Review
// the right first.
//
// Errors: *api.Problem.
func (a *Access) Since(ctx context.Context, cluster, clusterUID, namespace string) (time.Time, bool, error) {
	s, ok := a.surveys[cluster]
	if !ok {
		return time.Time{}, false, noCluster(cluster)
	}
	if operates, err := a.Operates(ctx); operates || err != nil {
		return time.Time{}, operates, err
	}
	var named []string
	if namespace != "" {
		named = []string{namespace}
	}
	bound, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	l, err := s.lives(bound, named)
	switch {
	case ctx.Err() != nil:
		return time.Time{}, false, context.Cause(ctx)
	case err != nil:
		a.cfg.Logger.Warn("the API server does not answer since when a namespace exists", "cluster", cluster, "person", identity.Of(ctx).Name, "err", err)
		return time.Time{}, false, noAnswer(cluster)
	}
	since, ok := l.since(clusterUID, namespace, namespace == "")
	return since, ok, nil
}

// Trusting returns the names of the clusters whose namespaces the portal may not read. There, a new
// namespace shows the history of an older one with its name.
func (a *Access) Trusting() (names []string) {
	for _, name := range a.Clusters() {
		if a.surveys[name].trusted.Load() {
			names = append(names, name)
		}
	}
	return names
}
