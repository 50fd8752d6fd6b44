package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/internal/linediff"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/history"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	readOptions
	from, to string
}

func newDiff(c completions) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff TYPE/NAME",
		Short: "Show what changed in an object between two revisions",
		Long: "Show what changed in an object between two revisions or times. Without flags, it compares the last two revisions.\n" +
			"KUBECTL_EXTERNAL_DIFF names another program to compare with.\n\n" + exitHelp("diff"),
		Example: "  # The last change\n" +
			"  vedette diff job/train-7 -n ml --db sqlite:history.db\n\n" +
			"  # Between two versions; since yesterday\n" +
			"  vedette diff job/train-7 -n ml --from 48213 --to 48377\n" +
			"  vedette diff job/train-7 -n ml --from 24h",
		Args: oneObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	c.add(cmd, func() *source.Flags { return &o.source }, suggestObjects)
	o.addUID(cmd)
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "version or time: 2h, 3d (ago), 15:04, 2026-03-01T15:04:05Z (default: the previous revision)")
	f.StringVar(&o.to, "to", "", "version or time (default: the last revision)")
	return codeOfErrors(cmd, exitDiffFailed)
}

func (o *diffOptions) run(ctx context.Context, args []string, con *console.Console) error {
	h, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	objects, err := o.objects(ctx, h, args)
	if err == nil {
		err = source.OneCluster(objects)
	}
	if err != nil {
		return err
	}
	now := time.Now()
	to, err := h.RevisionAt(ctx, objects, o.to, now)
	if err != nil {
		return err
	}
	var from source.RevisionAt
	if o.from != "" {
		from, err = h.RevisionAt(ctx, objects, o.from, now)
	} else {
		from, err = h.Previous(ctx, to)
	}
	if err != nil {
		return err
	}
	texts, names := [2]string{}, [2]string{}
	for i, r := range []source.RevisionAt{from, to} {
		fields, err := decodeRevision(ctx, h, r)
		if err != nil {
			return err
		}
		text, err := objectyaml.Marshal(fields)
		if err != nil {
			return err
		}
		texts[i] = text
		names[i] = printable.Sprintf("%s/%s at %v\t%s", r.Namespace, r.Name, r.Revision.Version, r.Revision.Seen.Local().Format("2006-01-02 15:04:05.000"))
		if r.Deleted {
			names[i] += " (deleted)"
		}
		if r.Source == history.Reshown {
			names[i] += " (" + contentChanged + ")"
		}
	}
	if program := os.Getenv("KUBECTL_EXTERNAL_DIFF"); program != "" {
		return external(ctx, program, from, to, texts, con)
	}
	text := linediff.Unified(texts[0], texts[1], names[0], names[1])
	if text == "" {
		return nil
	}
	if err := con.Print(text); err != nil {
		return err
	}
	return exitCode(exitDiffers, nil)
}

// external compares two revisions with another program. The program gets two files, and its
// exit code becomes that of diff.
func external(ctx context.Context, program string, from, to source.RevisionAt, texts [2]string, con *console.Console) error {
	dir, err := os.MkdirTemp("", "vedette-diff-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	words := strings.Fields(program)
	for i, r := range []source.RevisionAt{from, to} {
		file := filepath.Join(dir, fmt.Sprintf("%s.%s.%d-%v.yaml", r.Type, r.Name, i+1, r.Revision.Version))
		if err := os.WriteFile(file, []byte(texts[i]), 0o600); err != nil {
			return err
		}
		words = append(words, file)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if err := con.Print(out.String()); err != nil {
		return err
	}
	for line := range strings.Lines(errs.String()) {
		con.Say("%s", strings.TrimSuffix(line, "\n"))
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == exitDiffers:
		return exitCode(exitDiffers, nil)
	case errors.As(err, &exit):
		return exitCode(max(exit.ExitCode(), exitDiffFailed), fmt.Errorf("KUBECTL_EXTERNAL_DIFF (%s): %w", program, err))
	}
	return fmt.Errorf("KUBECTL_EXTERNAL_DIFF: %w", err)
}
