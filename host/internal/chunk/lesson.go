package chunk

import "github.com/loam-data/loam/host/internal/change"

// Lesson is a file that the memory shall learn from, without its secrets.
type Lesson struct {
	// Name is its repository and its path there, such as handbook/terms.md.
	Name, Text, Connection string
	// By is the actor that collects it.
	By change.Actor
	// Changes bounds the new changes that it may cause, Probes the measures and segments that may be run.
	Changes, Probes int
	DryRun          bool
}

// Taught is the result of a Lesson.
type Taught struct {
	// Pending counts the new and the modified changes that wait for a person, Conflicts those of them that contradict
	// something.
	Pending, Conflicts int
	// Probes counts the measures and segments that were run.
	Probes int
	// Left counts the changes beyond Lesson.Changes: the next sync reads the file again.
	Left int
}
