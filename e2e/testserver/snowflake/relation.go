package snowflake

// relation rewrites the name of a relation of the service's own; n = 0: it is none.
func (x *rewriter) relation(in []token, i int, out []token) (n int, next []token, err error) {
	return 0, nil, nil
}

// tableFunction rewrites a function of information_schema.
func (x *rewriter) tableFunction(in []token) (string, bool, error) { return "", false, nil }
