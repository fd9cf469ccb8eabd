//go:build unix

package transport

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pollable returns in as a file whose Read waits in the runtime's poller rather
// than in a system call, which costs each call a tenth of its time. Only a pipe
// or a socket is taken, and none that the output or the log shares: a write to
// what does not block would fail. Anything else is returned as it is.
// restore undoes it, and ends a Read that waits.
func pollable(in io.Reader, out io.Writer) (r io.Reader, restore func()) {
	asIs := func() {}
	f, ok := in.(*os.File)
	if !ok || shares(f, out) || shares(f, os.Stderr) {
		return in, asIs
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return in, asIs
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return in, asIs
	}
	var copied *os.File
	_ = raw.Control(func(fd uintptr) { copied = nonblocking(int(fd), f.Name()) }) // an error leaves it as it is
	if copied == nil {
		return in, asIs
	}
	return copied, func() {
		_ = raw.Control(func(fd uintptr) { _ = unix.SetNonblock(int(fd), false) })
		_ = copied.Close() // nothing is written to it
	}
}

// nonblocking returns a copy of a descriptor that blocks, made not to block; nil
// when it does not block already, or cannot be.
func nonblocking(fd int, name string) *os.File {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_NONBLOCK != 0 {
		return nil
	}
	copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	if err := unix.SetNonblock(copied, true); err != nil {
		_ = unix.Close(copied)
		return nil
	}
	return os.NewFile(uintptr(copied), name)
}

// shares reports whether a file and an output are one; what cannot be told is
// taken to be.
func shares(f *os.File, out io.Writer) bool {
	o, ok := out.(*os.File)
	if !ok || o == nil {
		return false
	}
	a, errA := f.Stat()
	b, errB := o.Stat()
	return errA != nil || errB != nil || os.SameFile(a, b)
}
