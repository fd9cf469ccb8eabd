package index

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/loam-data/loam/sdk"
)

// Wanted is what a version must be.
type Wanted struct {
	ID string
	// Constraint is exact or a range such as "~> 0.3" or ">=1.2, <2"; "" = any.
	Constraint string
	// Platform is that of an archive, "linux_amd64".
	Platform string
	// Major and Minor are the contract that the host speaks.
	Major, Minor int
	// Locked is the version that the project uses: it alone is chosen although it is yanked. "" = none.
	Locked string
}

// Constraint is a range of versions.
type Constraint struct{ in *semver.Constraints }

// ParseConstraint reads a constraint. "~> 0.3" is at least 0.3.0 and below 0.4.0, as "~0.3" is.
// Errors: KindInvalid.
func ParseConstraint(text string) (Constraint, error) {
	in, err := semver.NewConstraint(orElse(strings.ReplaceAll(text, "~>", "~"), "*"))
	if err != nil {
		return Constraint{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no version and no range of versions", text).
			WithHint(`write an exact version, or a range: "~> 0.3", ">=1.2, <2"`)
	}
	return Constraint{in}, nil
}

func orElse(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return text
}

// Allows reports whether a version is in the range.
func (c Constraint) Allows(version string) bool {
	v, err := parseVersion(version)
	return err == nil && c.in.Check(v)
}

func parseVersion(text string) (*semver.Version, error) { return semver.StrictNewVersion(text) }

// Compare orders versions: below 0 when a comes before b. What is no version comes first.
func Compare(a, b string) int {
	x, errX := parseVersion(a)
	y, errY := parseVersion(b)
	switch {
	case errX != nil && errY != nil:
		return strings.Compare(a, b)
	case errX != nil:
		return -1
	case errY != nil:
		return 1
	}
	return x.Compare(y)
}

// Choose returns the newest version that fits.
// Errors: KindNotFound for a connector that the index has not; KindUnsupported when no version fits, which says why the newest
// does not; KindInvalid for a constraint that is none.
func (x *Index) Choose(w Wanted) (version string, r Release, t Target, err error) {
	c, ok := x.Connectors[w.ID]
	if !ok {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the index %s has no connector %s", x.Name, w.ID)
		e.Candidates = slices.Sorted(maps.Keys(x.Connectors))
		return "", r, t, e
	}
	allowed, err := ParseConstraint(w.Constraint)
	if err != nil {
		return "", r, t, err
	}
	var reasons []string
	newest := slices.SortedFunc(maps.Keys(c.Versions), func(a, b string) int { return Compare(b, a) })
	for _, version := range newest {
		if !allowed.Allows(version) {
			continue
		}
		r := c.Versions[version]
		why := r.unfit(version, w)
		if why == "" {
			return version, r, r.Targets[w.Platform], nil
		}
		reasons = append(reasons, version+" "+why)
	}
	if len(reasons) == 0 {
		return "", r, t, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no version of %s is in %s", w.ID, orElse(w.Constraint, "the index")).
			WithHint("there are: %s", orElse(strings.Join(cut(newest), ", "), "none"))
	}
	return "", r, t, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "no version of %s fits: %s", w.ID, strings.Join(cut(reasons), "; ")).
		WithHint("ask for another version, or upgrade loam when it is too old")
}

// cut keeps the first few, and says how many more there are.
func cut(all []string) []string {
	const most = 5
	if len(all) <= most {
		return all
	}
	return append(slices.Clip(all[:most]), fmt.Sprintf("%d older", len(all)-most))
}

// unfit returns why a version in the range is not chosen, "" = it may be.
func (r Release) unfit(version string, w Wanted) string {
	_, built := r.Targets[w.Platform]
	switch {
	case r.Yanked != "" && version != w.Locked:
		return "was withdrawn: " + r.Yanked
	case r.Protocol.Major != w.Major:
		return fmt.Sprintf("speaks contract %d.%d, and this Loam %d.%d", r.Protocol.Major, r.Protocol.Minor, w.Major, w.Minor)
	case r.Protocol.MinMinor > w.Minor:
		return fmt.Sprintf("needs contract %d.%d, and this Loam speaks %d.%d", r.Protocol.Major, r.Protocol.MinMinor, w.Major, w.Minor)
	case !built:
		return "has no archive for " + w.Platform
	}
	return ""
}
