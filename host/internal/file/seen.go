package file

import (
	"io/fs"
	"os"
	"time"
)

// settle is how old a file's last change must be before an unchanged size and
// time prove an unchanged content. Source: the coarsest file time in use, two
// seconds on FAT.
const settle = 2 * time.Second

// Seen is the state of a file when its content was read. The zero value matches
// no file.
type Seen struct {
	info fs.FileInfo
	at   time.Time
}

// SeenAt returns the state of a file whose content is read after at.
func SeenAt(info fs.FileInfo, at time.Time) Seen { return Seen{info, at} }

// Same reports whether the file certainly still has the content that was read.
func (s Seen) Same(now fs.FileInfo) bool {
	return s.info != nil && os.SameFile(s.info, now) && s.info.Size() == now.Size() &&
		s.info.ModTime().Equal(now.ModTime()) && s.at.Sub(now.ModTime()) > settle
}
