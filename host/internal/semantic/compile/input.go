package compile

import (
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
)

// measure makes the inputs of a base.
func (br *branch) measure(b *base) error {
	br.bases = append(br.bases, b)
	condition, err := br.own(b)
	if err != nil {
		return err
	}
	if len(br.finer) > 0 {
		br.rows.c.note("non_additive_across_groups: " + b.label + " counts a row in full for every " + refusal.Listed(br.finer) + " that it has; its groups do not add up to the total")
	}
	var value expression.Node
	switch {
	case b.x == nil:
		value = expression.Int(1)
	case b.agg == "":
		return br.native(b, condition)
	case b.x.expr != nil:
		value, err = br.rows.bind(0, b.x.expr, place{})
	default:
		if value, err = expression.Check(b.x.tree, func(n *expression.Name) (sdk.Type, error) { return br.fieldType(n) }); err != nil {
			return refusal.InExpression(b.x.where, b.x.text, err)
		}
		value, err = br.rows.substitute(value, place{})
	}
	if err != nil {
		return err
	}
	if err := br.typed(b, value); err != nil {
		return err
	}
	if condition != nil {
		value = &expression.Case{Whens: []expression.When{{Condition: condition, Result: value}}}
		if value, err = expression.Check(value, ownType); err != nil {
			return err
		}
	}
	b.in = br.rows.c.column(b.called(), value.Type())
	br.inputs = append(br.inputs, plan.Value{Column: b.in, X: value})
	if b.semiAdditive() {
		if err := br.semiAdditive(b, condition); err != nil {
			return err
		}
	}
	return br.ranked(b)
}

// typed finds the type of a base's values.
func (br *branch) typed(b *base, x expression.Node) error {
	checked, err := expression.Check(&expression.Aggregate{Function: b.agg, X: x, Parameter: b.parameter}, ownType)
	if err != nil {
		err = br.asWritten(b, err)
		return refusal.New(refusal.CodeInvalidExpression, "%s cannot be computed: %s", b.label, refusal.From(err).Message).About(b.label).Because(err)
	}
	b.typ = checked.Type()
	return nil
}

// asWritten returns what is wrong with a base's values in the names that somebody
// wrote, where that can be told.
func (br *branch) asWritten(b *base, err error) error {
	if b.x == nil {
		return err
	}
	tree, types := b.x.tree, br.fieldType
	if d := b.x.expr; d != nil {
		tree, types = d.Tree, func(n *expression.Name) (sdk.Type, error) {
			ref, _ := d.Ref(n)
			if ref.Dimension == 0 {
				return sdk.TypeUnspecified, nil
			}
			return br.rows.c.typeOf(ref.Dimension), nil
		}
	}
	x, known := expression.Check(tree, types)
	if known != nil {
		return err
	}
	if _, known = expression.Check(&expression.Aggregate{Function: b.agg, X: x, Parameter: b.parameter}, ownType); known != nil {
		return known
	}
	return err
}

func (br *branch) fieldType(n *expression.Name) (sdk.Type, error) {
	if e := entityOf(n); e != nil {
		return e.typ, nil
	}
	ref, err := br.rows.c.dimensionOf(br.home, n)
	if err != nil {
		return 0, err
	}
	return br.rows.c.typeOf(ref.Dimension), nil
}

// native makes inputs of the fields that an aggregate in the engine's own SQL
// uses.
func (br *branch) native(b *base, condition expression.Node) error {
	if condition != nil {
		return refusal.New(refusal.CodeNotSupported, "%s is an aggregate in the engine's own SQL, which cannot be filtered", b.label).
			About(b.label).Advise("define it with agg and expr")
	}
	// A fragment may name columns that are declared nowhere.
	if br.all = !br.rows.c.m.Source(br.home).Scanned; br.all && br.spans() {
		return refusal.New(refusal.CodeNotSupported, "%s is an aggregate in the engine's own SQL, which does not add up over time", b.label).About(b.label).Advise("define it with agg and expr")
	}
	tree, err := expression.Substitute(b.x.tree, func(n *expression.Name) (expression.Node, error) {
		ref, _ := b.x.expr.Ref(n)
		value, err := br.rows.value(0, ref, place{})
		if err != nil {
			return nil, err
		}
		in := plan.Value{Column: br.rows.c.column(ref.Column, value.Type()), X: value}
		if ref.Dimension != 0 {
			in.Name = br.rows.c.m.Dimension(ref.Dimension).Name
		}
		br.inputs = append(br.inputs, in)
		return in.Ref(), nil
	})
	b.x = &formula{tree: tree, written: b.x.written}
	return err
}
