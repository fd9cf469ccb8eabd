//go:build unix

package transport

import (
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// pair returns the two ends of a pipe or a socket that block, as a client gives
// them to its server.
func pair(t *testing.T, make func(fds *[2]int) error) (in, out *os.File) {
	t.Helper()
	var fds [2]int
	if err := make(&fds); err != nil {
		t.Fatal(err)
	}
	in, out = os.NewFile(uintptr(fds[0]), "in"), os.NewFile(uintptr(fds[1]), "out")
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
	})
	return in, out
}

func blocks(t *testing.T, f *os.File) bool {
	t.Helper()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var flags int
	if err := raw.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return flags&unix.O_NONBLOCK == 0
}

func pipePair(fds *[2]int) error { return unix.Pipe(fds[:]) }

func socketPair(fds *[2]int) (err error) {
	*fds, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	return err
}

// The input of a client is read without blocking a thread, and is as it was when
// the server has ended.
func TestPollable(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]func(*[2]int) error{"pipe": pipePair, "socket": socketPair} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, client := pair(t, kind)
			r, restore := pollable(in, io.Discard)
			if r == io.Reader(in) || blocks(t, in) {
				t.Fatal("the input blocks")
			}
			if _, err := client.WriteString("hello"); err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, 5)
			if _, err := io.ReadFull(r, buf); err != nil || string(buf) != "hello" {
				t.Errorf("read %q, %v", buf, err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := r.Read(buf)
				ended <- err
			}()
			restore()
			if err := receive(t, ended); err == nil {
				t.Error("a read that waited got something")
			}
			if !blocks(t, in) {
				t.Error("the input does not block afterwards")
			}
		})
	}
}

// What is not safe to change is left alone.
func TestPollableLeavesAlone(t *testing.T) {
	t.Parallel()
	shared, _ := pair(t, socketPair)
	polled, end, err := os.Pipe() // the runtime's own, polled already
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = polled.Close(), end.Close() }()
	file, err := os.Create(t.TempDir() + "/input")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for name, tt := range map[string]struct {
		in  *os.File
		out io.Writer
	}{
		"socket for both ways": {shared, shared},
		"polled already":       {polled, io.Discard},
		"file":                 {file, io.Discard},
	} {
		before := blocks(t, tt.in)
		r, restore := pollable(tt.in, tt.out)
		if r != io.Reader(tt.in) || blocks(t, tt.in) != before {
			t.Errorf("%s was changed", name)
		}
		restore()
	}
}
