package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// process is one running program, its output in a log file.
type process struct {
	name string
	log  string
	cmd  *exec.Cmd

	done chan struct{} // closed when it has ended
	err  error         // its exit error, valid after done is closed
}

// spawner starts processes from one thread that runs until this process ends. The kernel
// sends the Pdeathsig signal when the thread that started a child ends, not the process,
// and the Go runtime ends threads at any time.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go spawn(work)
	return work
})

func spawn(work <-chan func()) {
	runtime.LockOSThread()
	for f := range work {
		f()
	}
}

// start starts a program. Unless it is detached, it is killed when this process ends.
func start(dir, name string, detach bool, path string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if detach {
		err = p.cmd.Start()
	} else {
		p.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
		started := make(chan error)
		spawner() <- func() { started <- p.cmd.Start() }
		err = <-started
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// stop sends SIGTERM to the process, and SIGKILL if ctx is done first.
func (p *process) stop(ctx context.Context) {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-p.done:
	case <-ctx.Done():
		p.kill()
	}
}

// kill kills the process, and waits until it has ended.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.done
}

// ended reports whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// failed returns an error that shows the end of the log.
func (p *process) failed(what string, err error) error {
	log, _ := os.ReadFile(p.log)
	return fmt.Errorf("%s %s: %w; the end of its log:\n%s", p.name, what, err, tail(log))
}

// errEnded is the error of a process that ended although it should run.
var errEnded = errors.New("it has ended")
