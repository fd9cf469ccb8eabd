// Package diff shows the difference between two versions of a text.
package diff

import "github.com/aymanbagabas/go-udiff"

// Unified returns the difference of two versions of a file, as patch reads it, with three
// unchanged lines around each change; "" = there is none. The path of a file that is not there is Absent.
func Unified(from, to, before, after string) string { return udiff.Unified(from, to, before, after) }

// Absent is the path of a file that is not there.
const Absent = "/dev/null"
