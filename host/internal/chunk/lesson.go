package chunk

import "github.com/loam-data/loam/host/internal/change"

// Lesson is a file to be read for what it teaches, without its secrets.
type Lesson struct {
	// Name is that of its repository and its path there: handbook/terms.md.
	Name, Text, Connection string
	// By is who collects it.
	By change.Actor
	// Changes is how many new changes it may cause, Probes how many measures and segments may be tried.
	Changes, Probes int
	DryRun          bool
}

// Taught is what came of a Lesson.
type Taught struct {
	// Pending counts new changes and changed ones that wait, Conflicts those of them that contradict something.
	Pending, Conflicts int
	// Probes is how many measures and segments were tried.
	Probes int
	// Left counts the changes for which there was no room: the file is read again.
	Left int
}
