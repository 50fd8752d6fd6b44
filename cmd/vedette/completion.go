package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
)

// completionTimeout limits the wait for a cluster, a database or a portal when the user
// presses Tab. After it, nothing is suggested.
const completionTimeout = 2 * time.Second

// maxSuggestions is the maximum number of records that are read to suggest names.
const maxSuggestions = 500

// request is one press of Tab.
type request struct {
	cmd    *cobra.Command
	args   []string // the arguments before the word
	word   string   // the beginning of the word to complete
	source *source.Flags
}

// suggester returns the completions of a word.
type suggester func(ctx context.Context, r request) ([]string, error)

// completes adapts a suggester to cobra. It suggests nothing on errors and prints none of
// them. from returns the source of the history that the flags of the command name; nil if the
// command reads only clusters.
func completes(from func() *source.Flags, suggest suggester) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if cmd.PreRunE != nil { // reads settings from the environment and the file
			if err := cmd.PreRunE(cmd, args); err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		r := request{cmd: cmd, args: args, word: word}
		if from != nil {
			r.source = from()
		}
		found, err := suggest(ctx, r)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found = slices.DeleteFunc(found, func(s string) bool { return !strings.HasPrefix(s, word) })
		slices.Sort(found)
		found = slices.Compact(found)
		directive := cobra.ShellCompDirectiveNoFileComp
		if len(found) > 0 && !slices.ContainsFunc(found, func(s string) bool { return !strings.HasSuffix(s, "/") && !strings.HasSuffix(s, "=") }) {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return found, directive
	}
}

// completions registers completions of flags and arguments if it is true. Cobra keeps each
// flag with a completion, and so its command, for the life of the process. Therefore, only a
// request of a shell registers them.
type completions bool

// completionsFor returns completions that are registered if the arguments of the program are
// a request of a shell.
func completionsFor(args []string) completions {
	return completions(len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd))
}

// addAll adds completions of flags to all commands that have none for them yet.
func (c completions) addAll(cmd *cobra.Command) {
	if !c {
		return
	}
	for name, suggest := range map[string]suggester{"context": suggestContexts, "namespace": suggestNamespaces, "state": suggestStates, "for": suggestConditions, "keep-state": suggestLimits} {
		if cmd.LocalFlags().Lookup(name) != nil {
			if _, exists := cmd.GetFlagCompletionFunc(name); !exists {
				_ = cmd.RegisterFlagCompletionFunc(name, completes(nil, suggest)) // fails only without the flag
			}
		}
	}
	for _, sub := range cmd.Commands() {
		c.addAll(sub)
	}
}

// add adds completions of arguments and namespaces that come from a history.
func (c completions) add(cmd *cobra.Command, from func() *source.Flags, arguments suggester) {
	if !c {
		return
	}
	if arguments != nil {
		cmd.ValidArgsFunction = completes(from, arguments)
	}
	_ = cmd.RegisterFlagCompletionFunc("namespace", completes(from, suggestNamespaces)) // fails only without the flag
}

// connection returns the configuration of the cluster that the flags name.
func (r request) connection() kube.Config {
	context, _, _ := strings.Cut(r.flag("context"), ",") // record accepts several
	return kube.Config{Kubeconfig: r.flag("kubeconfig"), Context: context, Namespace: r.flag("namespace")}
}

// flag returns the value of a flag; empty if the command has no such flag.
func (r request) flag(name string) string {
	if f := r.cmd.Flags().Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// named reports whether the flags name a database or a portal.
func (r request) named() bool { return r.source != nil && r.source.Named() && r.flag("live") != "true" }

// afterComma returns suggestions for the last element of a list such as "jobs,po".
func (r request) afterComma(items []string) []string {
	before := r.word[:strings.LastIndex(r.word, ",")+1]
	var all []string
	for _, item := range items {
		if !slices.Contains(strings.Split(before, ","), item) {
			all = append(all, before+item)
		}
	}
	return all
}

func suggestContexts(_ context.Context, r request) ([]string, error) {
	names, err := kube.Contexts(kube.Config{Kubeconfig: r.flag("kubeconfig")})
	return r.afterComma(names), err
}

// stateNames returns all states.
func stateNames() []string {
	return slices.DeleteFunc(slices.Clone(listing.StateOrder), func(s string) bool { return s == "" })
}

func suggestStates(_ context.Context, r request) ([]string, error) {
	return r.afterComma(stateNames()), nil
}

// suggestConditions completes --for of wait.
func suggestConditions(_ context.Context, r request) ([]string, error) {
	list, hasState := strings.CutPrefix(r.word, "state=")
	if !hasState {
		return []string{"deleted", "state="}, nil
	}
	r.word = list
	all := r.afterComma(stateNames())
	for i := range all {
		all[i] = "state=" + all[i]
	}
	return all, nil
}

// suggestLimits completes --keep-state of prune and record, such as Failed=180d.
func suggestLimits(_ context.Context, r request) ([]string, error) {
	all := r.afterComma(stateNames())
	for i := range all {
		all[i] += "="
	}
	return all, nil
}

// suggestClusterTypes completes TYPE[,TYPE…] with the types that a cluster serves.
func suggestClusterTypes(ctx context.Context, r request) ([]string, error) {
	if len(r.args) > 0 {
		return nil, nil
	}
	cluster, err := kube.Connect(r.connection())
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	types, err := cluster.Resources(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range types {
		names = append(names, types[i].String())
	}
	return r.afterComma(names), nil
}

// suggestTypes completes TYPE[,TYPE…] with the types in a history.
func suggestTypes(ctx context.Context, r request) ([]string, error) {
	if len(r.args) > 0 {
		return nil, nil
	}
	h, err := r.source.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	names, err := typeNames(ctx, h)
	return r.afterComma(names), err
}

func typeNames(ctx context.Context, h *source.History) ([]string, error) {
	types, err := h.Types(ctx)
	var names []string
	for _, t := range types {
		names = append(names, t.String())
	}
	return names, err
}

// suggestObjects completes TYPE/NAME and TYPE NAME from a history.
func suggestObjects(ctx context.Context, r request) ([]string, error) {
	h, err := r.source.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	kind, _, slash := strings.Cut(r.word, "/")
	prefix := kind + "/"
	switch {
	case len(r.args) == 1 && !strings.ContainsAny(r.args[0], "/,"):
		kind, prefix = r.args[0], ""
	case len(r.args) > 0:
		return nil, nil
	case !slash:
		names, err := typeNames(ctx, h)
		for i := range names {
			names[i] += "/"
		}
		return names, err
	}
	names, err := objectNames(ctx, h, kind, r)
	for i := range names {
		names[i] = prefix + names[i]
	}
	return names, err
}

// suggestTypesOrObjects completes the argument of history: TYPE[,TYPE…] or TYPE/NAME.
func suggestTypesOrObjects(ctx context.Context, r request) ([]string, error) {
	if len(r.args) == 0 && !strings.Contains(r.word, "/") {
		return suggestTypes(ctx, r)
	}
	return suggestObjects(ctx, r)
}

// objectNames returns the names of the objects of a type that changed last.
func objectNames(ctx context.Context, h *source.History, kind string, r request) ([]string, error) {
	types, err := h.FindTypes(ctx, kind)
	if err != nil {
		return nil, err
	}
	f := history.Filter{Types: types, Cluster: r.flag("cluster")}
	if r.flag("all-namespaces") != "true" {
		f.Namespace = r.flag("namespace")
	}
	page, err := h.ListTransitions(ctx, f, history.Paging{Limit: maxSuggestions})
	var names []string
	for i := range page.Items {
		names = append(names, page.Items[i].Object.Name)
	}
	return names, err
}

// suggestNamespaces completes a namespace from a history, or from a cluster.
func suggestNamespaces(ctx context.Context, r request) ([]string, error) {
	if r.named() {
		h, err := r.source.Open(ctx)
		if err != nil {
			return nil, err
		}
		defer h.Close()
		jobs, err := h.ListJobs(ctx, history.Filter{}, history.Paging{Limit: maxSuggestions}, time.Now())
		var names []string
		for i := range jobs.Items {
			names = append(names, jobs.Items[i].Namespace)
		}
		if err != nil {
			return nil, err
		}
		page, err := h.ListTransitions(ctx, history.Filter{}, history.Paging{Limit: maxSuggestions})
		if err != nil {
			return names, nil // a portal may show jobs but no other objects
		}
		for i := range page.Items {
			if name := page.Items[i].Object.Namespace; name != "" {
				names = append(names, name)
			}
		}
		return names, nil
	}
	cfg := r.connection()
	cfg.Namespace = "" // it is incomplete
	cluster, err := kube.Connect(cfg)
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	client, err := kube.For[corev1.Namespace](cluster, kube.ClientConfig{})
	if err != nil {
		return nil, err
	}
	var names []string
	for n, err := range client.List(ctx, kube.Where{}) {
		if err != nil {
			return names, err
		}
		names = append(names, n.Name)
	}
	return names, nil
}

// suggestJob completes NAME or TYPE/NAME of one job.
func suggestJob(ctx context.Context, r request) ([]string, error) {
	if len(r.args) > 0 {
		return nil, nil
	}
	return suggestJobs(ctx, r)
}

// suggestOpenJobs completes names of jobs that have not ended.
func suggestOpenJobs(ctx context.Context, r request) ([]string, error) {
	return jobNames(ctx, r, func(j *history.Job) bool { return !job.State(j.State).Final() })
}

// suggestJobs completes names of jobs.
func suggestJobs(ctx context.Context, r request) ([]string, error) {
	return jobNames(ctx, r, func(*history.Job) bool { return true })
}

// jobNames returns NAME, or TYPE/NAME if the word has a type, of the jobs in the namespace
// that are not arguments yet.
func jobNames(ctx context.Context, r request, keep func(*history.Job) bool) ([]string, error) {
	src, err := r.jobs(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	q := joblist.Query{Namespace: source.NamespaceOf(r.connection()), Cluster: r.flag("cluster"), Limit: maxSuggestions}
	kind, _, slash := strings.Cut(r.word, "/")
	prefix := ""
	if slash {
		q.Types, prefix = kind, kind+"/"
	}
	list, err := src.List(ctx, q, time.Now())
	var names []string
	for i := range list.Jobs {
		if name := prefix + list.Jobs[i].Name; keep(&list.Jobs[i]) && !slices.Contains(r.args, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// jobs opens the source of jobs that the flags name.
func (r request) jobs(ctx context.Context) (joblist.Source, error) {
	if r.named() {
		h, err := r.source.Open(ctx)
		if err != nil {
			return nil, err
		}
		return &joblist.Recorded{H: h}, nil
	}
	cluster, err := kube.Connect(r.connection())
	if err != nil {
		return nil, err
	}
	return &joblist.Live{Cluster: cluster, Con: console.New(io.Discard, io.Discard, "never"), Told: map[string]bool{}}, nil
}
