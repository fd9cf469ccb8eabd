package expression

// Amongst returns the condition that x is one of the values or, with null, NULL. Negated it is true for NULL too, unless
// null is set; strict keeps SQL's unknown there.
// Shape: without values it is about NULL alone.
func Amongst(x Node, values []Node, null, negated, strict bool) Node {
	var found Node
	switch op := Equal; {
	case len(values) == 1:
		if negated {
			op = NotEqual
		}
		found = &Binary{Op: op, Left: x, Right: values[0]}
	case len(values) > 1:
		found = &In{X: x, List: values, Negated: negated}
	}
	isNull := &IsNull{X: x, Negated: null && negated}
	switch {
	case found == nil:
		return isNull
	case null && negated:
		return Conjoin(found, isNull) // false for NULL, not unknown: a NOT may be around it
	case null || negated && !strict:
		return Disjoin(found, isNull)
	}
	return found
}
