package watchview

import "github.com/spf13/cobra"

// Options are the flags for the format of the changes that are printed.
type Options struct {
	Rules     string // file with the rules for states; "" means only the built-in ones
	output    string
	events    bool
	sinceNow  bool
	noHeaders bool
	Color     string
}

// AddFlags adds the flags.
func (o *Options) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "format: wide, json, yaml, name or jsonpath=TEMPLATE (default: one line per change)")
	f.BoolVar(&o.events, "output-watch-events", false, "print the kind of each change: ADDED, MODIFIED or DELETED")
	f.BoolVar(&o.sinceNow, "since-now", false, "omit the objects that exist already")
	f.BoolVar(&o.noHeaders, "no-headers", false, "omit the names of the columns")
	f.StringVar(&o.Color, "color", "auto", "colors: auto (on a terminal, unless NO_COLOR is set), always or never")
}
