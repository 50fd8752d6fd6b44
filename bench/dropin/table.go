package dropin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/vedette-io/vedette/apitest"
)

// Run runs a program in a process, against a server of its own, and returns the figures of
// its stages.
//
// Errors: a server or a process that does not start or fails.
func Run(ctx context.Context, p Program) ([]Figures, error) {
	s, err := apitest.New(apitest.Config{Window: 1_000_000})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, err := write(s, p.N, 0); err != nil {
		return nil, err
	}
	if p.URL, err = s.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	return run(ctx, p, func() (last []string, err error) {
		last = make([]string, 10)
		for state := 1; state <= rounds && p.N > 0; state++ {
			if last, err = write(s, p.N, state); err != nil {
				return nil, err
			}
		}
		return last, nil
	})
}

// write writes one state of n objects of each type, and returns the last version of each.
func write(s *apitest.Server, n, state int) (last []string, err error) {
	for i := range n {
		last = last[:0]
		for _, o := range objects(i, state) {
			written, err := put(s, o, state)
			if err != nil {
				return nil, err
			}
			last = append(last, written.GetResourceVersion())
		}
	}
	return last, nil
}

func put(s *apitest.Server, o apitest.Object, state int) (apitest.Object, error) {
	if state == 0 {
		return s.Create(o)
	}
	now, err := s.Get(o)
	if err != nil {
		return nil, err
	}
	o.SetResourceVersion(now.GetResourceVersion())
	o.SetUID(now.GetUID())
	return s.Update(o)
}

// run runs the process. It calls update after the first stage.
func run(ctx context.Context, p Program, update func() ([]string, error)) (all []Figures, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	spec, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "program", string(spec))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var f Figures
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return nil, fmt.Errorf("the program wrote %q: %w", lines.Text(), err)
		}
		if all = append(all, f); f.Stage == Listed {
			last, err := update()
			if err != nil {
				return nil, err
			}
			if err := json.NewEncoder(in).Encode(last); err != nil {
				return nil, err
			}
		}
	}
	return all, cmd.Wait()
}

// Median runs a program several times, in turn with client-go, and returns the medians of
// the figures of both, by stage.
//
// Errors: those of Run.
func Median(ctx context.Context, p Program, times int) (stock, dropIn []Figures, err error) {
	var runs [2][][]Figures
	for range times {
		for side := range runs {
			p.DropIn = side == 1
			f, err := Run(ctx, p)
			if err != nil {
				return nil, nil, err
			}
			runs[side] = append(runs[side], f)
		}
	}
	return medians(runs[0]), medians(runs[1]), nil
}

func medians(runs [][]Figures) (all []Figures) {
	for stage := range runs[0] {
		var of []Figures
		for _, r := range runs {
			of = append(of, r[stage])
		}
		all = append(all, Figures{
			Stage: of[0].Stage, Heap: median(of, func(f Figures) uint64 { return f.Heap }), RSS: median(of, func(f Figures) uint64 { return f.RSS }),
			Peak: median(of, func(f Figures) uint64 { return f.Peak }), CPU: median(of, func(f Figures) time.Duration { return f.CPU }),
		})
	}
	return all
}

func median[T uint64 | time.Duration](of []Figures, value func(Figures) T) T {
	var all []T
	for _, f := range of {
		all = append(all, value(f))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// Table runs all programs with these numbers of objects, and writes a table in Markdown.
//
// Errors: those of Run.
func Table(ctx context.Context, out io.Writer, sizes []int, rest time.Duration, times int) error {
	fmt.Fprintln(out, "| objects of each type | use | stage | heap, MB | RSS, MB | peak, MB | CPU, s |\n|---|---|---|---|---|---|---|")
	for _, n := range sizes {
		for _, use := range Uses {
			stock, dropIn, err := Median(ctx, Program{N: n, Use: use, Rest: rest}, times)
			if err != nil {
				return err
			}
			for i, s := range stock {
				d := dropIn[i]
				fmt.Fprintf(out, "| %d | %s | %s | %s | %s | %s | %.2f, %.2f |\n", n, use, s.Stage, pair(s.Heap, d.Heap), pair(s.RSS, d.RSS), pair(s.Peak, d.Peak), s.CPU.Seconds(), d.CPU.Seconds())
			}
		}
	}
	return nil
}

func pair(stock, dropIn uint64) string {
	const mb = 1 << 20
	return fmt.Sprintf("%.1f, %.1f", float64(stock)/mb, float64(dropIn)/mb)
}
