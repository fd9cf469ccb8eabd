package postgres

import (
	"fmt"
	"sync"
)

// maxRemembered bounds the accounts whose rights are remembered.
const maxRemembered = 64

// maxReachers bounds the catalogues that are kept for sessions to come.
const maxReachers = 4

// remembered is what sessions of a connector share: the rights of accounts, each for the last
// state of its database that was seen, and what statements reach. As long as no transaction
// commits, neither changes.
// Concurrency: safe for several goroutines.
type remembered struct {
	mu       sync.Mutex
	rights   map[accountKey]rightsAt
	reachers map[reacherKey]*reacher
}

// accountKey tells accounts apart. A server is told apart by the time it started, and two that
// started at once by their addresses.
type accountKey struct{ host, started, database, session, current string }

// reacherKey tells apart what statements reach for an account: with other exceptions it is another.
type reacherKey struct {
	accountKey
	exceptions string
}

// reacher returns that of the sessions of an account that have the same exceptions.
func (m *remembered) reacher(of accountKey, cfg *config) *reacher {
	key := reacherKey{of, fmt.Sprintf("%q %q", cfg.AllowFunctions, cfg.AllowForeignServers)}
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.reachers[key]
	if found == nil {
		if m.reachers == nil || len(m.reachers) >= maxReachers {
			m.reachers = map[reacherKey]*reacher{}
		}
		found = &reacher{}
		m.reachers[key] = found
	}
	return found
}

type rightsAt struct {
	snapshot string
	rights   []right
}

// get returns the rights of an account in a state of its database, and asks for them unless they
// are known.
func (m *remembered) get(of accountKey, snapshot string, ask func() ([]right, error)) ([]right, error) {
	m.mu.Lock()
	known, there := m.rights[of]
	m.mu.Unlock()
	if there && known.snapshot == snapshot {
		return known.rights, nil
	}
	rights, err := ask()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rights == nil || len(m.rights) >= maxRemembered && !there {
		m.rights = map[accountKey]rightsAt{}
	}
	m.rights[of] = rightsAt{snapshot, rights}
	return rights, nil
}
