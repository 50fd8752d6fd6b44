package apitest

import (
	"context"
	"net"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// New returns a server with the built-in types and those of the Config. It starts no goroutine: RESTConfig, Dial and
// Listen do, and Close ends them all.
//
// Errors: ErrConfig, ErrType.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg:     cfg,
		pipes:   newPipeListener(),
		version: cfg.Version,
		tables:  map[schema.GroupVersionResource]*table{},
		kinds:   map[schema.GroupVersionKind]*table{},
		log:     ring[Request]{limit: cfg.RequestLog},
		writes:  ring[record]{limit: cfg.RequestLog},
		network: network{conns: map[net.Conn]struct{}{}, listeners: map[string]tcpListener{}},
		done:    make(chan struct{}),
	}
	s.garbage = noCollector{}
	if cfg.GarbageCollection == GarbageGoes {
		s.garbage = collector{s}
	}
	s.faults.init()
	s.podLogs.init()
	s.http = &http.Server{
		Handler:   http.HandlerFunc(s.serve),
		ConnState: s.track,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
	}
	for _, res := range builtins() {
		if err := s.addTable(res); err != nil {
			return nil, err
		}
	}
	for _, t := range cfg.Types {
		if err := s.Register(t); err != nil {
			return nil, err
		}
	}
	if cfg.SystemNamespaces {
		for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease} {
			if _, err := s.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}
