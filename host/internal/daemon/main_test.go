package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// role makes the test binary a daemon: the value says which one.
const role = "LOAM_TEST_DAEMON"

func TestMain(m *testing.M) {
	if how := os.Getenv(role); how != "" {
		if err := play(how, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// play is a daemon that serves its health until SIGTERM, or does not.
func play(how, dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Println("the daemon plays", how)
	if how == "breaks" {
		return errors.New("it cannot work like this")
	}
	held, err := New(dir).Acquire(ctx)
	if err != nil {
		return err
	}
	if how == "silent" {
		<-ctx.Done()
		return held.Close()
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	mux := http.NewServeMux()
	mux.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"status":"ok","version":"1","port":%d}`, port)
	})
	mux.HandleFunc("/closed", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	if err := held.Publish(State{Host: "127.0.0.1", Port: port, StartedAt: time.Now(), Version: "1", Live: Live{Token: true}}); err != nil {
		return err
	}
	if how != "deaf" {
		context.AfterFunc(ctx, func() { _ = srv.Close() })
	}
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return held.Close()
}

func launchOf(t *testing.T, d *Daemon, how string) Launch {
	t.Helper()
	program, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	return Launch{Program: program, Args: []string{d.dir}, Env: append(os.Environ(), role+"="+how)}
}

// begin starts a daemon that is ended with the test.
func begin(t *testing.T, how string) (*Daemon, *State) {
	t.Helper()
	d := New(filepath.Join(t.TempDir(), "state"))
	s, err := d.Start(t.Context(), launchOf(t, d, how))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if alive(s.PID, s.Process) {
			_ = syscall.Kill(s.PID, syscall.SIGKILL)
		}
		reap(t, s.PID)
	})
	return d, s
}

// reap waits for a daemon, which is a child of the test alone.
func reap(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	if _, err := p.Wait(); err != nil && !errors.Is(err, syscall.ECHILD) && !strings.Contains(err.Error(), "already") {
		t.Error(err)
	}
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

func waitUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !done() {
		if wait(ctx) != nil {
			t.Fatalf("%s: not in time", what)
		}
	}
}

func phaseOf(t *testing.T, d *Daemon) Phase {
	t.Helper()
	phase, _, err := d.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return phase
}
