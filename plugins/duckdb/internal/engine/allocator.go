//go:build cgo

package engine

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// one_arena has all threads share one heap. glibc gives threads heaps of their
// own, and what one statement freed in one of them is of no use to the next
// statement in another: a process with a limit stays full for ever.
static void one_arena(void) {
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
#endif
}
*/
import "C"

func init() { C.one_arena() }
