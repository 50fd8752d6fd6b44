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
)

// Limits of the answers about namespaces.
const (
	namespacesOfPage = 250
	maxNamespaces    = 16 << 20 // bytes of a page: annotations may be long
)

// lives reads the identity of the cluster and the birth of some of its namespaces.
//
// Errors: the API server does not answer.
func (s *survey) lives(ctx context.Context, namespaces []string) (*lives, error) {
	l := &lives{born: map[string]time.Time{}}
	var err error
	switch l.cluster, err = s.kube.Identity(ctx, time.Now()); {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err): // all clusters of the name count
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
