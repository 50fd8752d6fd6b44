package main

import (
	"fmt"
	"go/ast"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/cmd/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/internal/linediff"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// eachCommand calls f with all commands, except those that cobra adds.
func eachCommand(f func(path string, c *cobra.Command)) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		f(c.CommandPath(), c)
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(io.Discard, io.Discard, false))
}

func commandSurface(t *testing.T) surface {
	s := surface{}
	eachCommand(func(path string, c *cobra.Command) {
		_, arguments, _ := strings.Cut(c.Use, " ")
		var detail []string
		if arguments != "" {
			detail = append(detail, arguments)
		}
		if len(c.Aliases) > 0 {
			detail = append(detail, "alias "+strings.Join(c.Aliases, ", "))
		}
		if c.Hidden {
			detail = append(detail, "hidden")
		}
		if c.Deprecated != "" {
			detail = append(detail, "deprecated")
		}
		s.add(t, path, strings.Join(detail, "; "))
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			detail := f.Value.Type()
			if f.Shorthand != "" {
				detail += " -" + f.Shorthand
			}
			detail += fmt.Sprintf(" default %q", f.DefValue)
			if f.NoOptDefVal != "" && f.NoOptDefVal != "true" {
				detail += fmt.Sprintf(" alone %q", f.NoOptDefVal)
			}
			if f.Hidden {
				detail += " hidden"
			}
			if f.Deprecated != "" {
				detail += " deprecated"
			}
			s.add(t, path+" --"+f.Name, detail)
		})
	})
	return s
}

// readsVariable finds variables that are read by name.
var readsVariable = regexp.MustCompile(`\b(?:[Gg]etenv|LookupEnv)\("(\w+)"\)`)

// variableSurface has the variables of settings, those that sources of the program read by name,
// and those that functions read that take the environment as a parameter.
func variableSurface(t *testing.T) surface {
	s := surface{}
	s.add(t, settings.Variable("config"), "--config")
	for _, one := range settings.All {
		s.add(t, settings.Variable(one.Name), "--"+one.Name)
	}
	eachSource(t, func(text string) {
		for _, m := range readsVariable.FindAllStringSubmatch(text, -1) {
			if _, isSetting := s[m[1]]; !isSetting {
				s.add(t, m[1], "")
			}
		}
	})
	env := func(name string) string {
		s.add(t, name, "")
		return ""
	}
	lifestrip.StyleOf(env, true)
	traces := jobtrace.Config{Endpoint: jobtrace.FromEnvironment}
	if err := traces.Environment(env); err == nil {
		t.Error("an environment without variables has an endpoint for traces")
	}
	return s
}

func exitCodeSurface(t *testing.T) surface {
	s := surface{}
	for _, m := range exitMeanings {
		for command := range strings.SplitSeq(m.commands, ", ") {
			s.add(t, fmt.Sprintf("%s %d", command, m.code), m.text)
		}
	}
	return s
}

// object is the document of commands that print an object of the cluster.
type object struct{}

// documents are the documents that commands print with -o json. Lists have several of them.
var documents = map[string]any{
	"vedette deadletter ls":       deliveryview.Document{},
	"vedette deadletter show":     shownDelivery{},
	"vedette demo":                object{},
	"vedette doctor":              preflight.Check{},
	"vedette gaps":                gapDoc{},
	"vedette history":             transitionDoc{},
	"vedette jobs":                joblist.Document{},
	"vedette logs":                jsonLine{},
	"vedette notify channels":     deliveryview.ChannelDocument{},
	"vedette notify ls":           deliveryview.Document{},
	"vedette notify preview":      forecastDoc{},
	"vedette notify silence ls":   silenceDoc{},
	"vedette notify silence show": deliveryview.Document{},
	"vedette retry":               object{},
	"vedette shards":              shardDoc{},
	"vedette show":                object{},
	"vedette stats":               statsDoc{},
	"vedette submit":              object{},
	"vedette subscribe ls":        subscriptionDoc{},
	"vedette template ls":         templateDoc{},
	"vedette template show":       shownTemplate{},
	"vedette version":             versionDoc{},
	"vedette watch":               object{},
}

func outputSurface(t *testing.T) surface {
	s := surface{}
	left := map[string]bool{}
	for path := range documents {
		left[path] = true
	}
	eachCommand(func(path string, c *cobra.Command) {
		f := c.LocalFlags().Lookup("output")
		if f == nil || !strings.Contains(f.Usage, "json") {
			return
		}
		doc, known := documents[path]
		if !known {
			t.Errorf("`%s -o json` prints a document that documents does not have: add its type", path)
			return
		}
		delete(left, path)
		if _, isObject := doc.(object); isObject {
			s.add(t, path, "object of the API server")
			return
		}
		if c.LocalFlags().Lookup("no-headers") != nil {
			s.add(t, path, "list")
		}
		addFields(t, s, path+" ", doc)
	})
	checkDocuments(t)
	for path := range left {
		t.Errorf("documents has %s, which is not a command with -o json", path)
	}
	return s
}

// checkDocuments finds structs of this package with names of JSON fields that documents does not
// have.
func checkDocuments(t *testing.T) {
	t.Helper()
	known := map[string]bool{}
	for _, doc := range documents {
		known[reflect.TypeOf(doc).Name()] = true
	}
	for _, file := range parseFolder(t, ".") {
		ast.Inspect(file, func(n ast.Node) bool {
			if of, ok := n.(*ast.TypeSpec); ok && !known[of.Name.Name] && hasJSON(of) {
				t.Errorf("%s has names of JSON fields, and documents does not have it", of.Name.Name)
			}
			return true
		})
	}
}

// hasJSON reports whether a type has fields with names for JSON.
func hasJSON(of *ast.TypeSpec) (found bool) {
	ast.Inspect(of, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		found = found || ok && f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`)
		return !found
	})
	return found
}

// TestSurfaceEnvironment: the defaults of flags do not depend on the machine.
func TestSurfaceEnvironment(t *testing.T) {
	before := commandSurface(t).String()
	for _, name := range []string{"HOME", "USER", "XDG_CONFIG_HOME", "TMPDIR", "NO_COLOR"} {
		t.Setenv(name, t.TempDir())
	}
	if now := commandSurface(t).String(); now != before {
		t.Errorf("the defaults of flags depend on the environment, so the files differ between machines:\n%s", linediff.Unified(before, now, "before", "now"))
	}
}
