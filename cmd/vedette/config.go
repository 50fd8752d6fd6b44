package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/internal/yamlfile"
	"github.com/vedette-io/vedette/record"
)

// configFile is the content of a file of settings, such as:
//
//	db: postgres://vedette@db/history
//	redact: [spec.template.spec.containers.env]
//	clusters:
//	- context: prod-a
//	  resources:
//	  - type: jobs.batch
//	    namespaces: [ml, research]
//	  - type: pods
//	    selector: app=train
type configFile struct {
	values   map[string]fileValue
	clusters []clusterConfig
	at       string // position of clusters
}

// fileValue is the value of a setting in a file.
type fileValue struct {
	words []string
	at    string // position, such as "vedette.yaml:3"
}

// clusterConfig says what to record of one cluster.
type clusterConfig struct {
	name, context, kubeconfig string
	resources                 []resourceConfig
	at                        string // position
}

// resourceConfig selects objects of one type.
type resourceConfig struct {
	typ            string
	namespaces     []string // empty means all, or that of the context if own is set
	own            bool
	labels, fields string
	at             string
}

// loadConfig reads a file.
//
// Errors: the file cannot be read; all its mistakes.
func loadConfig(path string) (*configFile, error) {
	r, root, err := yamlfile.Load(path)
	if r == nil {
		return nil, fmt.Errorf("the file of --config or VEDETTE_CONFIG cannot be read: %w", err)
	}
	if err != nil {
		return nil, err
	}
	p := configParser{r, path}
	c := p.file(root)
	return c, r.Err()
}

// The keys of a cluster and of a resource in a file.
var (
	clusterKeys  = []string{"name", "context", "kubeconfig", "resources"}
	resourceKeys = []string{"type", "namespaces", "selector", "field-selector"}
)

// fileKeys returns the keys of a file: all settings, and clusters.
func fileKeys() []string {
	keys := []string{"clusters"}
	for _, s := range settings {
		keys = append(keys, s.name)
	}
	return keys
}

type configParser struct {
	*yamlfile.Reader
	path string
}

func (p configParser) file(root *yaml.Node) *configFile {
	c := &configFile{values: map[string]fileValue{}}
	f := p.Fields(root, "the configuration", fileKeys()...)
	for _, s := range settings {
		n := f[s.name]
		if n == nil {
			continue
		}
		v := fileValue{at: p.At(n)}
		switch s.kind {
		case words:
			v.words = p.Words(n, s.name)
		case truth:
			v.words = []string{fmt.Sprint(p.Truth(n, s.name))}
		default:
			v.words = []string{p.Word(n, s.name)}
		}
		if s.name == "redact" {
			p.paths(n, v.words)
		}
		if len(v.words) > 0 && v.words[0] != "" {
			c.values[s.name] = v
		}
	}
	if n := f["clusters"]; n != nil {
		c.at = p.At(n)
		p.clusters(n, c)
	}
	return c
}

// paths checks field paths.
func (p configParser) paths(n *yaml.Node, all []string) {
	for i, text := range all {
		line := n.Line
		if i < len(n.Content) {
			line = n.Content[i].Line
		}
		if err := record.CheckFieldPath(text); err != nil {
			p.Complain(line, "redact: %v", err)
		}
	}
}

func (p configParser) clusters(n *yaml.Node, c *configFile) {
	names := map[string]int{}
	for _, item := range p.List(n, n.Line, "clusters") {
		f := p.Fields(item, "a cluster", clusterKeys...)
		cl := clusterConfig{
			name: p.Word(f["name"], "name"), context: p.Word(f["context"], "context"), kubeconfig: p.Word(f["kubeconfig"], "kubeconfig"), at: p.At(item),
		}
		if cl.kubeconfig != "" && !filepath.IsAbs(cl.kubeconfig) {
			cl.kubeconfig = filepath.Join(filepath.Dir(p.path), cl.kubeconfig)
		}
		if cl.name == "" {
			cl.name = cl.context
		}
		if line, twice := names[cl.name]; twice {
			p.Complain(item.Line, "this cluster has the same name as the one in line %d (%q): give each a name", line, cl.name)
		}
		names[cl.name] = item.Line
		all := p.List(f["resources"], item.Line, "resources")
		if len(all) == 0 && f["resources"] != nil && f["resources"].Kind == yaml.SequenceNode {
			p.Complain(item.Line, "resources is empty: name the types to record")
		}
		seen := map[string]int{}
		for _, n := range all {
			cl.resources = append(cl.resources, p.resource(n, seen))
		}
		c.clusters = append(c.clusters, cl)
	}
	if len(c.clusters) == 0 && n.Kind == yaml.SequenceNode {
		p.Complain(n.Line, "clusters is empty: name the clusters to record, or remove it")
	}
}

// resource reads the selection of one type. seen holds the lines of the selections before
// it.
func (p configParser) resource(n *yaml.Node, seen map[string]int) resourceConfig {
	f := p.Fields(n, "a resource", resourceKeys...)
	r := resourceConfig{
		typ: p.Word(f["type"], "type"), namespaces: p.Words(f["namespaces"], "namespaces"),
		labels: p.Word(f["selector"], "selector"), fields: p.Word(f["field-selector"], "field-selector"), at: p.At(n),
	}
	if r.typ == "" || strings.ContainsAny(r.typ, ", /") {
		p.Complain(n.Line, "type is %q; it must name one type, such as jobs.batch", r.typ)
	}
	if _, err := labels.Parse(r.labels); err != nil {
		p.Complain(f["selector"].Line, "selector %q: %v", r.labels, err)
	}
	if _, err := fields.ParseSelector(r.fields); err != nil {
		p.Complain(f["field-selector"].Line, "field-selector %q: %v", r.fields, err)
	}
	scopes := r.namespaces
	if len(scopes) == 0 {
		scopes = []string{""}
	}
	for _, namespace := range scopes {
		key := strings.Join([]string{r.typ, namespace, r.labels, r.fields}, "\x00")
		if line, twice := seen[key]; twice {
			p.Complain(n.Line, "line %d already names %s with the same namespace and selectors", line, r.typ)
		}
		seen[key] = n.Line
	}
	return r
}
