package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/dropin"
	"github.com/vedette-io/vedette/bench/report"
	"github.com/vedette-io/vedette/bench/scenario"
	"github.com/vedette-io/vedette/bench/serve"
)

const usage = `Compares Vedette with its peers.

  GOWORK=off go run -C bench .                                 the short round: one table of ratios, 5 minutes
  GOWORK=off go run -C bench . -full -out ../docs              everything, into docs/benchmarks.md
  GOWORK=off go run -C bench . -run '^sync$' -pods 10000 -rounds 5
  GOWORK=off go run -C bench . -full -run reads -case 'all$'
  GOWORK=off go run -C bench . -list                           list the scenarios and cases
  GOWORK=off go run -C bench . -json a.json                    save the measurements
  GOWORK=off go run -C bench . dropin -sizes 20,200 -rest 0
                                                           the memory of small programs with the drop-in
  GOWORK=off go run -C bench . diff a.json b.json              compare two runs
  GOWORK=off go run -C bench . show -out ../docs a.json …      write the tables of a saved run, or of several pieces

`

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "dropin" {
		return dropIn(args[1:])
	}
	if len(args) > 1 { // this program's own processes and subcommands without these flags
		switch args[0] {
		case "serve":
			var spec serve.Spec
			if err := json.Unmarshal([]byte(args[1]), &spec); err != nil {
				return err
			}
			return serve.Main(spec)
		case "contest":
			var task contest.Task
			if err := json.Unmarshal([]byte(args[1]), &task); err != nil {
				return err
			}
			return contest.Main(task)
		case "program":
			var p dropin.Program
			if err := json.Unmarshal([]byte(args[1]), &p); err != nil {
				return err
			}
			return dropin.Main(p, os.Stdin, os.Stdout)
		case "diff":
			return diff(args[1:])
		case "show":
			return show(args[1:])
		}
	}
	return bench(args)
}

// flags creates a flag set with the examples in its usage.
func flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprint(f.Output(), usage)
		f.PrintDefaults()
	}
	return f
}

// dropIn writes the table of small programs.
func dropIn(args []string) error {
	f := flags("bench dropin")
	sizes := f.String("sizes", "0,20,200,2000", "numbers of objects of each of ten types")
	rest := f.Duration("rest", 2*time.Minute, "time at rest; 0 leaves this stage out")
	rounds := f.Int("rounds", 5, "number of runs of each program, whose medians are shown")
	if err := f.Parse(args); err != nil {
		return err
	}
	var n []int
	for text := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		n = append(n, size)
	}
	return dropin.Table(context.Background(), os.Stdout, n, *rest, *rounds)
}

func bench(args []string) error {
	var o scenario.Options
	f := flags("bench")
	full := f.Bool("full", false, "run everything, not only the cases of the table of ratios")
	match := f.String("run", "", "run only the scenarios whose names match this regular `expression`")
	only := f.String("case", "", "of these, run only the cases whose names match this regular `expression`")
	list := f.Bool("list", false, "list the scenarios and their cases")
	file := f.String("json", "", "save the measurements in this `file`")
	out := f.String("out", "", "write benchmarks.md and its images into this `folder`")
	f.IntVar(&o.Pods, "pods", 0, "number of pods of the first sync; default 50,000")
	f.IntVar(&o.Rounds, "rounds", 0, "number of rounds of each contestant; default per case")
	f.IntVar(&o.Jobs, "jobs", 0, "number of jobs in the history of the portal; default 1,000,000, 20,000 in the short round")
	f.DurationVar(&o.Length, "length", 0, "duration of the streams of the portal; default 10m, 20s in the short round")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the objects and events")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		f.Usage()
		return fmt.Errorf("unknown argument %q", f.Args())
	}
	expression, err := regexp.Compile(*match)
	if err != nil {
		return err
	}
	cases, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	o.Size = scenario.Short
	if *full {
		o.Size = scenario.Full
	}
	chosen := scenario.Of(expression.MatchString, cases.MatchString)
	if !slices.ContainsFunc(chosen, func(s scenario.Scenario) bool { return len(s.Cases(o)) > 0 }) {
		return fmt.Errorf("no case matches -run %q and -case %q; list all with -list", *match, *only)
	}
	if *list {
		listAll(chosen, o)
		return nil
	}
	return measure(chosen, o, report.NewRun(args), *file, *out)
}

func listAll(chosen []scenario.Scenario, o scenario.Options) {
	for _, s := range chosen {
		cases := s.Cases(o)
		if len(cases) == 0 {
			continue
		}
		fmt.Printf("%-10s %s\n", s.Name, s.Title)
		for _, c := range cases {
			fmt.Printf("%-10s   %s: %d objects, %d rounds of %v\n", "", c.Name, c.Task.N*len(c.Task.Kinds), c.Rounds, c.Contestants)
		}
	}
}

// measure runs scenarios, and saves and shows the results, also of an interrupted run.
func measure(chosen []scenario.Scenario, o scenario.Options, r *report.Run, file, out string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	began := time.Now()
	var err error
	r.Records, err = scenario.Run(ctx, scenario.Processes{}, chosen, o, os.Stderr)
	r.Seconds = time.Since(began).Seconds()
	if file != "" {
		err = errors.Join(err, r.Write(file))
	}
	if out != "" {
		err = errors.Join(err, r.Document(out))
	}
	return errors.Join(err, r.Table(os.Stdout))
}

func diff(files []string) error {
	if len(files) != 2 {
		return errors.New("diff needs two files, written with -json")
	}
	a, err := report.Read(files[0])
	if err != nil {
		return err
	}
	b, err := report.Read(files[1])
	if err != nil {
		return err
	}
	return report.Diff(os.Stdout, a, b)
}

func show(args []string) error {
	f := flags("show")
	out := f.String("out", "", "write benchmarks.md and its images into this `folder`")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return errors.New("show needs a file, written with -json")
	}
	var pieces []*report.Run
	for _, file := range f.Args() {
		r, err := report.Read(file)
		if err != nil {
			return err
		}
		pieces = append(pieces, r)
	}
	r, err := report.Join(pieces)
	if err != nil {
		return err
	}
	if *out != "" {
		err = r.Document(*out)
	}
	return errors.Join(err, r.Table(os.Stdout))
}
