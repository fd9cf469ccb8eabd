package connector

import "strings"

// Memory that a process needs beside what its connections may take: threads'
// stacks and an allocator's reserves, which count from the moment they are set
// up. Measured of a bundled connector with an analytical engine inside, in address
// space that is counted (VmData): 240 MiB at rest, and under load 1.15 times the
// engine's memory on top.
const (
	engineHeadroom = 320 << 20
	clientHeadroom = 512 << 20
)

// processLimit is the most memory that a connector's process gets from the
// system when its connections may take granted bytes. A connector that declares
// its need for memory has an engine inside, which keeps to what it was granted
// with most of its work. Others were promised twice what they are granted.
func processLimit(c Installed, granted int64) int64 {
	if c.Description.Capabilities.MemoryBytes > 0 {
		return granted + granted/4 + engineHeadroom
	}
	return 2*granted + clientHeadroom
}

// memoryWords begin, or are in, the last words of runtimes whose allocation
// failed.
// Source: Go's runtime (malloc.go, mem_linux.go, os_linux.go, cgo/gcc_util.c),
// libstdc++ and libc++ for C++, Rust's alloc, HotSpot, V8, glibc.
var memoryWords = []string{
	"fatal error: out of memory",
	"fatal error: runtime: out of memory",
	"fatal error: runtime: cannot allocate memory",
	"runtime: out of memory",
	"runtime/cgo: out of memory in thread_start",
	"runtime/cgo: pthread_create failed: Resource temporarily unavailable",
	"runtime/cgo: pthread_create failed: Cannot allocate memory",
	"std::bad_alloc",
	"memory allocation of ", // Rust: "memory allocation of N bytes failed"
	"java.lang.OutOfMemoryError",
	"There is insufficient memory for the Java Runtime Environment",
	"JavaScript heap out of memory",
	"MemoryError",
	"Cannot allocate memory",
}

// outOfMemory reports whether a line of a dying program says that it got no
// more memory.
func outOfMemory(line string) bool {
	for _, words := range memoryWords {
		if strings.Contains(line, words) {
			return true
		}
	}
	return false
}
