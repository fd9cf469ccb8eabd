package connector

import "strings"

// Memory that a process needs besides the memory of its connections: thread stacks and reserves
// of the allocator, which count as soon as they are mapped. Measured on a bundled connector with
// an analytical engine, as VmData: 240 MiB when idle, plus 1.15 times the engine's memory under
// load.
const (
	engineHeadroom = 320 << 20
	clientHeadroom = 512 << 20
)

// processLimit returns the memory limit of a process whose connections may use granted bytes. A
// connector that declares its need for memory has an engine, which itself keeps mostly within
// granted. Other connectors get twice what they are granted, as the contract promises.
func processLimit(c Installed, granted int64) int64 {
	if c.Description.Capabilities.MemoryBytes > 0 {
		return granted + granted/4 + engineHeadroom
	}
	return 2*granted + clientHeadroom
}

// memoryWords are parts of the messages with which runtimes end when an allocation fails.
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

// outOfMemory reports whether a line says that the program ran out of memory.
func outOfMemory(line string) bool {
	for _, words := range memoryWords {
		if strings.Contains(line, words) {
			return true
		}
	}
	return false
}
