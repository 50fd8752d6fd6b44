package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
)

// The build of a release sets these by -ldflags -X. Other builds leave them empty, and the
// program uses the information that the Go command stored.
var buildVersion, buildCommit, buildDate string

// versionDoc describes a build.
type versionDoc struct {
	Version string `json:"version"`
	// Commit ends with "-dirty" if the sources had changes that were not committed.
	Commit string `json:"commit"`
	// Date is the time of the commit, in RFC 3339.
	Date     string `json:"date"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// version returns the version of this build.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return describeBuild(info, versionDoc{Version: buildVersion}).Version
}

// describeBuild completes a description with the information of the Go command, which may be
// nil.
func describeBuild(info *debug.BuildInfo, doc versionDoc) versionDoc {
	doc.Go, doc.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	if info != nil {
		doc.Version = cmp.Or(doc.Version, info.Main.Version)
		stored := map[string]string{}
		for _, s := range info.Settings {
			stored[s.Key] = s.Value
		}
		if doc.Commit == "" && stored["vcs.revision"] != "" {
			doc.Commit = stored["vcs.revision"]
			if stored["vcs.modified"] == "true" {
				doc.Commit += "-dirty"
			}
		}
		doc.Date = cmp.Or(doc.Date, stored["vcs.time"])
	}
	doc.Version = cmp.Or(doc.Version, "devel")
	doc.Commit, doc.Date = cmp.Or(doc.Commit, "unknown"), cmp.Or(doc.Date, "unknown")
	return doc
}

func newVersion() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and its date",
		Long:  "Fields of json: version, commit, date (of the commit), go, platform.",
		Example: "  # For a bug report\n" +
			"  vedette version\n\n" +
			"  # For a script\n" +
			"  vedette version -o json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			return printVersion(cmd.OutOrStdout(), describeBuild(info, versionDoc{Version: buildVersion, Commit: buildCommit, Date: buildDate}), output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "format: json (default: one line per field)")
	return cmd
}

func printVersion(w io.Writer, doc versionDoc, output string) error {
	if _, err := listing.ParseFormat(output, "json"); err != nil {
		return err
	}
	if output == "" {
		_, err := fmt.Fprintf(w, "version   %s\ncommit    %s\ndate      %s\ngo        %s\nplatform  %s\n", doc.Version, doc.Commit, doc.Date, doc.Go, doc.Platform)
		return err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
