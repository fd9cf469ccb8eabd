package sqlite

import "github.com/loam-data/loam/sdk"

// SetProfileRows makes a session take smaller tables for large ones.
func SetProfileRows(s sdk.Session, n int64) { s.(*session).profileRows = n }
