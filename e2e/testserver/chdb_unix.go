//go:build unix

package testserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const frontPackage = "github.com/loam-data/loam/e2e/testserver/chdb"

// compilerProblem says why cgo programs for Linux cannot be built here, or "".
var compilerProblem = sync.OnceValue(func() string {
	out, err := exec.Command("go", "list", "-f", "{{.CgoFiles}}", frontPackage).CombinedOutput()
	if err != nil {
		return fmt.Sprintf("go list %s: %s", frontPackage, strings.TrimSpace(string(out)))
	}
	out, err = exec.Command("go", "env", "CC").Output()
	if err != nil {
		return err.Error()
	}
	compiler, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if _, err := exec.LookPath(compiler); err != nil {
		return "no C compiler: install gcc (and libc6-dev)"
	}
	return ""
})

func startFront(library string) (*ClickHouseServer, error) {
	dir, err := os.MkdirTemp("", "loamch")
	if err != nil {
		return nil, err
	}
	s, err := startFrontIn(dir, library)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func startFrontIn(dir, library string) (*ClickHouseServer, error) {
	binary := filepath.Join(dir, "front")
	build := exec.Command("go", "build", "-o", binary, frontPackage)
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w: %s", err, out)
	}
	if err := writeCertificates(dir, nil); err != nil {
		return nil, err
	}
	p, err := startProcess(dir, &syscall.SysProcAttr{Setpgid: true}, "KILL", binary, "-library", library, "-folder", dir,
		"-certificate", filepath.Join(dir, certFile), "-key", filepath.Join(dir, keyFile))
	if err != nil {
		return nil, err
	}
	s := &ClickHouseServer{CAFile: filepath.Join(dir, caFile), folder: dir, process: p}
	if err := s.await(); err != nil {
		log, readErr := os.ReadFile(filepath.Join(dir, "log"))
		p.stop()
		return nil, errors.Join(err, readErr, fmt.Errorf("server log: %s", log))
	}
	return s, nil
}

// await waits until the front says where it listens, and asks for its version.
func (s *ClickHouseServer) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		addresses, err := os.ReadFile(filepath.Join(s.folder, "address"))
		if err == nil {
			return s.connect(ctx, strings.Fields(string(addresses)))
		}
		select {
		case <-tick.C:
		case <-s.process.done:
			return fmt.Errorf("the front ended while starting: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("the front did not start: %w", err)
		}
	}
}

func (s *ClickHouseServer) connect(ctx context.Context, addresses []string) error {
	if len(addresses) != 2 {
		return fmt.Errorf("the front listens on %q", addresses)
	}
	for i, port := range []*int{&s.Port, &s.TLSPort} {
		host, number, err := net.SplitHostPort(addresses[i])
		if err != nil {
			return err
		}
		if *port, err = strconv.Atoi(number); err != nil {
			return err
		}
		s.Host = host
	}
	version, err := s.Ask(ctx, ClickHouseAdmin, "default", "SELECT version()")
	s.Version = strings.TrimSpace(version)
	return err
}
