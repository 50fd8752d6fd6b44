package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	pods := flag.Int("pods", 50_000, "how many pods are synced")
	rounds := flag.Int("rounds", 3, "how often each contestant runs")
	flag.Parse()
	var err error
	switch flag.Arg(0) {
	case "":
		err = compare(*pods, *rounds)
	case "serve":
		err = serve(*pods)
	default:
		err = contest(flag.Arg(0), flag.Arg(1), *pods)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// compare runs all contestants against one server.
func compare(pods, rounds int) error {
	fmt.Fprintf(os.Stderr, "encoding %d pods …\n", pods)
	server := self("serve", pods)
	server.Stderr = os.Stderr
	quit, err := server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() {
		_ = quit.Close() // this ends it
		_ = server.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the server did not start: %w", err)
	}
	url, sizes, _ := strings.Cut(strings.TrimSpace(line), " ")
	results := map[string][]result{}
	for round := range rounds {
		for _, name := range contestants {
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, name)
			r, err := runContestant(name, url, pods)
			if err != nil {
				return err
			}
			results[name] = append(results[name], r)
		}
	}
	return report(os.Stdout, pods, rounds, sizes, results)
}

// self starts this program again.
func self(what string, pods int, more ...string) *exec.Cmd {
	args := append([]string{fmt.Sprintf("-pods=%d", pods), what}, more...)
	return exec.Command("/proc/self/exe", args...)
}

func runContestant(name, url string, pods int) (result, error) {
	cmd := self(name, pods, url)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return result{}, fmt.Errorf("%s: %w", name, err)
	}
	var r result
	if err := json.NewDecoder(&out).Decode(&r); err != nil && err != io.EOF {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
