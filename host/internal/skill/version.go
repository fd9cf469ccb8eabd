package skill

import (
	"strconv"

	"github.com/Masterminds/semver/v3"
)

// maxVersion is the longest version, in bytes.
const maxVersion = 64

// ParseVersion parses a version such as 1.4.0 or 2.0.0-rc.1.
// Errors: KindInvalid.
func ParseVersion(s string) (*semver.Version, error) {
	v, err := semver.NewVersion(s)
	if err != nil || v.String() != s || len(s) > maxVersion { // it takes v1 and 1.2 as well
		return nil, invalid("%s is no version", strconv.Quote(s[:min(len(s), maxVersion)])).WithHint("write three numbers, such as 1.0.0")
	}
	return v, nil
}

// MajorOf returns the major number of a version; 0 without a version.
func MajorOf(version string) int {
	v, err := ParseVersion(version)
	if err != nil {
		return 0
	}
	return int(min(v.Major(), 1<<30))
}
