package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// templateSource are the flags that select templates.
type templateSource struct {
	server    source.ServerFlags
	folder    string
	namespace string
	connect   kube.Config
	portal    *client.Client // nil for the templates of this program and of the cluster
}

func (o *templateSource) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.folder, "templates", "", "folder with further templates; one of a built-in name replaces it")
	f.StringVar(&o.namespace, "templates-namespace", "", "namespace with ConfigMaps that hold further templates, which nobody else may create or write; one of a built-in name replaces it (default: none)")
	addConnection(cmd, &o.connect)
}

// ask chooses the templates of the portal, if one is named.
func (o *templateSource) ask(cmd *cobra.Command) (err error) {
	if o.server.URL == "" {
		return nil
	}
	if err := onlyCluster(cmd, map[string]string{"context": "it has templates of its own", "templates-namespace": "it has templates of its own"}); err != nil {
		return err
	}
	o.portal, err = o.server.Client()
	return err
}

// read returns the templates of the program, then of ConfigMaps, then of the folder; or the
// templates of a portal, then of the folder.
// ConfigMaps that cannot be read are a note, because the other templates do not need them.
func (o *templateSource) read(ctx context.Context, con *console.Console) (*template.Set, error) {
	set, unread, err := o.gather(ctx, con)
	if unread != nil {
		con.Say("note: %s", explain.Line(unread))
	}
	return set, err
}

// gather returns the templates as read does, and the error of reading ConfigMaps.
func (o *templateSource) gather(ctx context.Context, con *console.Console) (set *template.Set, unread, err error) {
	switch {
	case o.portal != nil:
		set, err = portalTemplates(ctx, o.portal)
		if err != nil {
			return nil, nil, err
		}
	default:
		set = template.Builtin()
		if o.namespace != "" {
			unread = o.addConfigMaps(ctx, set, con)
		}
	}
	if o.folder != "" {
		err = set.AddFolder(o.folder)
	}
	return set, unread, err
}

func (o *templateSource) addConfigMaps(ctx context.Context, set *template.Set, con *console.Console) error {
	cluster, err := kube.Connect(o.connect)
	if err != nil {
		return fmt.Errorf("templates in ConfigMaps are left out: %w", err)
	}
	defer cluster.Close()
	con.Progress("reading templates …")
	defer con.Clear()
	ctx, cancel := context.WithTimeout(ctx, timeout.FirstAnswer)
	defer cancel()
	return set.AddConfigMaps(ctx, cluster, o.namespace)
}

// required returns the names of the parameters without which a template makes no job.
func required(t *template.Template) (names []string) {
	for _, p := range t.Parameters() {
		if p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}
