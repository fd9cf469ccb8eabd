package expression

import "github.com/loam-data/loam/sdk"

// PerEntity is per(measure, key, …): the value of a measure for the entity that a row
// belongs to, such as the order count of the row's customer.
// Shape: X, the name of a measure or an expression of aggregates, is a scope of its own,
// which Children, Walk, Transform and Names do not enter. Keys has one at least.
type PerEntity struct {
	base
	X    Node
	Keys []*Name
}

// ParseValue reads an expression over rows of a request, which may have values of
// measures per entity.
// Errors: those of Parse.
func ParseValue(text string) (Node, error) { return parse(text, allowed{entities: true}) }

// perEntity reads what follows per(.
func (p *parser) perEntity(start *token) (Node, error) {
	switch {
	case !p.allowed.entities:
		return nil, fail(sdk.KindInvalid, start.pos, "use it in a request", "per is about the rows of a request")
	case p.entity:
		return nil, fail(sdk.KindInvalid, start.pos, "define the inner one as a measure of the model", "per stands inside per")
	}
	outer := p.aggregate
	p.aggregate, p.entity = "", true
	x, err := p.expression(levelOr)
	p.aggregate, p.entity = outer, false
	if err != nil {
		return nil, err
	}
	n := &PerEntity{base: base{height: x.meta().height + 1}, X: x}
	for p.acceptOperator(",") {
		key, err := p.name()
		if err != nil {
			return nil, err
		}
		n.Keys = append(n.Keys, key.(*Name))
	}
	if len(n.Keys) == 0 {
		return nil, p.unexpected(", and what the measure is per: per(orders.order_count, customers.id)")
	}
	if err := p.expectOperator(")", "a comma or )"); err != nil {
		return nil, err
	}
	return p.done(n, start)
}
