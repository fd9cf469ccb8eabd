package postgres

// WritesSQL is what tests explain.
const WritesSQL = writesSQL

// SourceVersionSQL is what a statement asks for where no relation and no type leaves the
// transaction.
var SourceVersionSQL = sourceVersion.hashed

// Leaves reports whether a function of the server with a name leaves the transaction by itself.
func Leaves(name string) bool {
	d := deniedAs(name)
	return d != nil && d.effect != inside && d.effect != evaluates
}

// Narrow reports whether the next statement leaves the links out.
func (s *Session) Narrow() bool {
	s.reacher.mu.Lock()
	defer s.reacher.mu.Unlock()
	return s.reacher.narrow
}
