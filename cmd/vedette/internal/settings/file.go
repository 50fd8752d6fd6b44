package settings

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/internal/yamlfile"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/wire"
)

// File is the content of a file of settings, such as:
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
type File struct {
	values   map[string]fileValue
	Clusters []ClusterConfig
	At       string // position of clusters
}

// fileValue is the value of a setting in a file.
type fileValue struct {
	words []string
	at    string // position, such as "vedette.yaml:3"
}

// ClusterConfig says what to record of one cluster.
type ClusterConfig struct {
	Name, Context, Kubeconfig string
	Resources                 []ResourceConfig
	At                        string // position
}

// ResourceConfig selects objects of one type.
type ResourceConfig struct {
	Typ            string
	Namespaces     []string // empty means all, or that of the context if own is set
	Own            bool
	Labels, Fields string
	Ranges         int // number of UID ranges; 0 or 1: not divided
	At             string
}

// loadConfig reads a file.
//
// Errors: the file cannot be read; all its mistakes.
func loadConfig(path string) (*File, error) {
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
	ClusterKeys  = []string{"name", "context", "kubeconfig", "resources"}
	ResourceKeys = []string{"type", "namespaces", "selector", "field-selector", "uid-ranges"}
)

// FileKeys returns the keys of a file: all settings, and clusters.
func FileKeys() []string {
	keys := []string{"clusters"}
	for _, s := range All {
		keys = append(keys, s.Name)
	}
	return keys
}

type configParser struct {
	*yamlfile.Reader
	path string
}

func (p configParser) file(root *yaml.Node) *File {
	c := &File{values: map[string]fileValue{}}
	f := p.Fields(root, "the configuration", FileKeys()...)
	for _, s := range All {
		n := f[s.Name]
		if n == nil {
			continue
		}
		v := fileValue{at: p.At(n)}
		switch s.kind {
		case words:
			v.words = p.Words(n, s.Name)
		case truth:
			v.words = []string{fmt.Sprint(p.Truth(n, s.Name))}
		default:
			v.words = []string{p.Word(n, s.Name)}
		}
		if s.Name == "redact" {
			p.paths(n, v.words)
		}
		if len(v.words) > 0 && v.words[0] != "" {
			c.values[s.Name] = v
		}
	}
	if n := f["clusters"]; n != nil {
		c.At = p.At(n)
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

func (p configParser) clusters(n *yaml.Node, c *File) {
	names := map[string]int{}
	for _, item := range p.List(n, n.Line, "clusters") {
		f := p.Fields(item, "a cluster", ClusterKeys...)
		cl := ClusterConfig{
			Name: p.Word(f["name"], "name"), Context: p.Word(f["context"], "context"), Kubeconfig: p.Word(f["kubeconfig"], "kubeconfig"), At: p.At(item),
		}
		if cl.Kubeconfig != "" && !filepath.IsAbs(cl.Kubeconfig) {
			cl.Kubeconfig = filepath.Join(filepath.Dir(p.path), cl.Kubeconfig)
		}
		if cl.Name == "" {
			cl.Name = cl.Context
		}
		if line, twice := names[cl.Name]; twice {
			p.Complain(item.Line, "this cluster has the same name as the one in line %d (%q): give each a name", line, cl.Name)
		}
		names[cl.Name] = item.Line
		all := p.List(f["resources"], item.Line, "resources")
		if len(all) == 0 && f["resources"] != nil && f["resources"].Kind == yaml.SequenceNode {
			p.Complain(item.Line, "resources is empty: name the types to record")
		}
		seen := map[string]int{}
		for _, n := range all {
			cl.Resources = append(cl.Resources, p.resource(n, seen))
		}
		c.Clusters = append(c.Clusters, cl)
	}
	if len(c.Clusters) == 0 && n.Kind == yaml.SequenceNode {
		p.Complain(n.Line, "clusters is empty: name the clusters to record, or remove it")
	}
}

// resource reads the selection of one type. seen holds the lines of the selections before
// it.
func (p configParser) resource(n *yaml.Node, seen map[string]int) ResourceConfig {
	f := p.Fields(n, "a resource", ResourceKeys...)
	r := ResourceConfig{
		Typ: p.Word(f["type"], "type"), Namespaces: p.Words(f["namespaces"], "namespaces"),
		Labels: p.Word(f["selector"], "selector"), Fields: p.Word(f["field-selector"], "field-selector"), At: p.At(n),
	}
	if r.Typ == "" || strings.ContainsAny(r.Typ, ", /") {
		p.Complain(n.Line, "type is %q; it must name one type, such as jobs.batch", r.Typ)
	}
	if _, err := labels.Parse(r.Labels); err != nil {
		p.Complain(f["selector"].Line, "selector %q: %v", r.Labels, err)
	}
	if _, err := fields.ParseSelector(r.Fields); err != nil {
		p.Complain(f["field-selector"].Line, "field-selector %q: %v", r.Fields, err)
	}
	r.Ranges = p.ranges(f["uid-ranges"])
	scopes := r.Namespaces
	if len(scopes) == 0 {
		scopes = []string{""}
	}
	for _, namespace := range scopes {
		key := strings.Join([]string{r.Typ, namespace, r.Labels, r.Fields}, "\x00")
		if line, twice := seen[key]; twice {
			p.Complain(n.Line, "line %d already names %s with the same namespace and selectors", line, r.Typ)
		}
		seen[key] = n.Line
	}
	return r
}

// ranges reads the number of UID ranges of a resource.
func (p configParser) ranges(n *yaml.Node) int {
	if n == nil {
		return 0
	}
	number, err := strconv.Atoi(p.Word(n, "uid-ranges"))
	if err == nil {
		err = wire.UIDRange{Count: number}.Check()
	}
	if err != nil || number < 1 {
		p.Complain(n.Line, "uid-ranges is %q; it must be a power of two up to %d", n.Value, wire.MaxUIDRanges)
		return 0
	}
	return number
}
