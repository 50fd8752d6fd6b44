package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"unicode"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/portaljobs"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/submit"
)

// showRole prints a role with the missing right: as the output with -o yaml, otherwise after the
// error. All commands that act on jobs use it.
func showRole(con *console.Console, output string, err error) error {
	what, role := missingRight(err)
	if role == "" {
		return err
	}
	if output == "yaml" {
		con.Say("vedette: %s; the role that gives the right is in the output", what)
		if failed := con.Document(role); failed != nil {
			return failed
		}
		return exitCode(codeOf(err), nil)
	}
	con.Say("vedette: %s; ask for this role, which `kubectl apply -f -` creates:", what)
	for line := range strings.Lines(role) {
		con.Say("%s", strings.TrimSuffix(line, "\n"))
	}
	return exitCode(codeOf(err), nil)
}

// missingRight returns the missing right and a role that grants it, from the error of a cluster or
// a portal; "" for other errors, or if no role is known.
func missingRight(err error) (what, role string) {
	var denied *submit.DeniedError
	if errors.As(err, &denied) {
		return denied.Error(), denied.Role
	}
	var p *api.Problem
	if errors.As(err, &p) && isRole(p.Role) {
		return explain.Clause(p.Error()), p.Role
	}
	return "", ""
}

// isRole reports whether the text of a portal is a role. The program prints its lines unchanged, so
// other text could imitate output of this program.
func isRole(text string) bool {
	return strings.HasPrefix(text, "apiVersion: rbac.authorization.k8s.io/v1\n") &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// codeOf returns the exit code of an error.
func codeOf(err error) int {
	var exit errExit
	if errors.As(err, &exit) {
		return exit.code
	}
	return exitFailure
}

// problems returns an error for each objection to a job, so that each has its own line, and adds a
// remedy to other errors of a submission. key is that of the command.
func problems(err error, key string) []error {
	var (
		invalid *submit.InvalidError
		taken   *submit.TakenError
		unsure  *submit.UnsureError
		lost    *portaljobs.UnsureError
		problem *api.Problem
	)
	switch {
	case errors.As(err, &problem) && problem.Type == api.ProblemConflict:
		return []error{fmt.Errorf("%s; take another name with --name, or let --again make one", explain.Clause(problem.Error()))}
	case errors.As(err, &invalid):
		var all []error
		for _, p := range invalid.Problems {
			all = append(all, errors.New(p.String()))
		}
		return all
	case errors.As(err, &taken):
		return []error{fmt.Errorf("%w; take another name with --name, or let --again make one", err)}
	case errors.As(err, &unsure), errors.As(err, &lost):
		return []error{fmt.Errorf("%s; repeat the command with --key %s: it creates no second job", explain.Clause(err.Error()), key)}
	}
	return []error{err}
}

// retryHandler reports repeated requests: each cause once as a line, and then as progress.
type retryHandler struct {
	con *console.Console

	mu   sync.Mutex
	said string
}

func newRetryHandler(con *console.Console) slog.Handler { return &retryHandler{con: con} }

// Enabled implements slog.Handler.
func (h *retryHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h *retryHandler) Handle(_ context.Context, r slog.Record) error {
	var why, what string
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "err":
			why = a.Value.String()
		case "request":
			what = a.Value.String()
		}
		return true
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.said == what+why {
		h.con.Progress("trying again to %s …", what)
		return nil
	}
	h.said = what + why
	h.con.Say("cannot %s yet: %s; trying again", what, why)
	return nil
}

// WithAttrs implements slog.Handler.
func (h *retryHandler) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup implements slog.Handler.
func (h *retryHandler) WithGroup(string) slog.Handler { return h }
