package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// silence is how long the tests of a package may print nothing. A test that waits for
	// a busy machine starts or ends a subtest sooner.
	silence = 10 * time.Minute
	// grace is how long they have to print their goroutines before they are killed.
	grace = time.Minute
)

// endSilent ends the tests of each package that has printed nothing for too long: first
// with SIGQUIT, at which a Go program prints its goroutines and exits. go test then reports
// the package as failed.
func (r *report) endSilent() {
	for name, p := range r.active {
		silent := r.now().Sub(p.heard)
		var signal os.Signal
		switch {
		case p.asked == 0 && silent >= silence:
			signal = syscall.SIGQUIT
		case p.asked == 1 && silent >= silence+grace:
			signal = os.Kill
		default:
			continue
		}
		p.asked++
		r.print("test: %6s  HANG  %s has printed nothing for %.0f s: %s; sending %s", r.clock(), short(name), silent.Seconds(), r.runningTests(p, len(p.tests)), signal)
		if err := r.signal(r.folders[name], signal); err != nil {
			r.print("test: %v", err)
		}
	}
}

// signalTests sends a signal to the test programs that go tests, children of this process,
// run in a folder: two when one of them is linked with the race detector.
func signalTests(folder string, signal os.Signal) error {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	programs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return err
	}
	found, failed := false, error(nil)
	for _, program := range programs {
		if cwd, err := os.Readlink(program + "/cwd"); err != nil || cwd != folder || parent(parent(program)) != fmt.Sprint("/proc/", os.Getpid()) {
			continue
		}
		found = true
		failed = errors.Join(failed, send(filepath.Base(program), signal))
	}
	if !found {
		return fmt.Errorf("no process of go test runs in %s", folder)
	}
	return failed
}

// send sends a signal to a process.
func send(id string, signal os.Signal) error {
	pid, err := strconv.Atoi(id)
	if err != nil {
		return err
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return errors.Join(process.Signal(signal), process.Release())
}

// parent returns the folder in /proc of a program's parent, or "" when it has ended.
// Source: proc_pid_stat(5).
func parent(program string) string {
	stat, err := os.ReadFile(program + "/stat")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return ""
	}
	return "/proc/" + fields[1]
}
