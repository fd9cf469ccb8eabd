package relationship

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/sdk"
)

// Decision is a person's decision about a link.
type Decision struct {
	Link
	Status Status    `json:"status"` // Accepted or Rejected
	At     time.Time `json:"at"`
	// By names who decided, "" = that is not known.
	By   string `json:"by,omitempty"`
	Note string `json:"note,omitempty"`
}

// Decisions are those of a connection, at most one for each link. They are stored apart
// from snapshots and so survive every scan.
type Decisions []Decision

// With returns the decisions with another one, which replaces an earlier one about the
// same link.
func (d Decisions) With(one Decision) Decisions {
	return append(d.Without(one.Link), one)
}

// Without returns the decisions without the one about a link.
func (d Decisions) Without(link Link) Decisions {
	return slices.DeleteFunc(slices.Clone(d), func(o Decision) bool { return o.Equal(link) })
}

func (d Decisions) rejected(link Link) bool {
	return slices.ContainsFunc(d, func(o Decision) bool { return o.Status == Rejected && o.Equal(link) })
}

// LoadDecisions reads decisions from their file; none when there is no file.
// Errors: KindInvalid for a file of another format, KindDenied, also for a symbolic link
// out of the project.
func LoadDecisions(path string) (Decisions, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the decisions in %s cannot be read: %w", path, err).
			WithHint("make the file readable for this user")
	}
	if err := inProject(path); err != nil {
		return nil, err
	}
	var all Decisions
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, invalid(path, err)
	}
	for _, d := range all {
		whole := len(d.Columns) > 0 && len(d.Columns) == len(d.ToColumns) && (d.Status == Accepted || d.Status == Rejected)
		if !whole {
			return nil, invalid(path, errors.New(d.String()+" is no decision"))
		}
	}
	return all, nil
}

// inProject refuses a file that a link leads out of the project: into that of somebody
// else's choice. The project is the folder that has the folder of the decisions.
func inProject(path string) error {
	if _, inside := file.Within(filepath.Dir(filepath.Dir(path)), path); inside {
		return nil
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the decisions in %s are kept outside the project, in %s, where a link leads", path, file.Real(path)).
		WithHint("put the file itself into the project's folder: links must not lead out of it")
}

func invalid(path string, err error) error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the decisions in %s cannot be understood: %w", path, err).
		WithHint("mend the file, or remove it and decide again")
}

// PutDecisions replaces the file of decisions, whole or not at all.
// Errors: KindDenied.
func PutDecisions(path string, all Decisions) error {
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := inProject(path); err != nil {
		return err
	}
	if err := file.Replace(path, append(raw, '\n'), 0o644); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the decisions in %s cannot be written: %w", path, err).
			WithHint("make the folder writable for this user")
	}
	return nil
}
