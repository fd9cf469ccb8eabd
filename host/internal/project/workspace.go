package project

import "gopkg.in/yaml.v3"

// Workspace says how long notes are kept; a zero field is the default.
type Workspace struct {
	CheckpointDays  int // 0 = DefaultCheckpointDays
	MostCheckpoints int // of each principal; 0 = DefaultMostCheckpoints
	RemediationDays int // since the last use; 0 = DefaultRemediationDays
}

const (
	DefaultCheckpointDays  = 90
	DefaultMostCheckpoints = 1_000
	DefaultRemediationDays = 365

	maxNoteDays    = 3_650
	maxCheckpoints = 1_000_000
)

func (d *decoder) workspace(n *yaml.Node, path string, into *Workspace) {
	days := func(into *int) key {
		return key{"days", false, func(n *yaml.Node, path string) { d.integer(n, path, 1, maxNoteDays, into) }}
	}
	d.mapping(n, path, []key{
		{"checkpoints", false, func(n *yaml.Node, path string) {
			d.mapping(n, path, []key{
				days(&into.CheckpointDays),
				{"most", false, func(n *yaml.Node, path string) { d.integer(n, path, 1, maxCheckpoints, &into.MostCheckpoints) }},
			}, "")
		}},
		{"remediations", false, func(n *yaml.Node, path string) {
			d.mapping(n, path, []key{days(&into.RemediationDays)}, "")
		}},
	}, "")
}
