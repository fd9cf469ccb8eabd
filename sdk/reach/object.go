package reach

import (
	"strconv"
	"strings"
)

// Kind is the kind of an object, as messages show it.
type Kind string

const (
	Function     Kind = "function"
	Aggregate    Kind = "aggregate"
	Procedure    Kind = "procedure"
	Macro        Kind = "macro"
	Table        Kind = "table"
	View         Kind = "view"
	ForeignTable Kind = "foreign table"
	Dictionary   Kind = "dictionary"
	Type         Kind = "type"
	Domain       Kind = "domain"
	Cast         Kind = "cast"
	Operator     Kind = "operator"
	Trigger      Kind = "trigger"
	Policy       Kind = "policy"
	Rule         Kind = "rule"
)

// use says how a text can name an object of a kind.
type use uint8

const (
	anywhere use = iota // by any name token: FROM v, x::t
	called              // by a name before "(" or after a dot: f(x), x.f
	symbol              // by an operator token
	unnamed             // not at all: a trigger, a cast
)

func (k Kind) use() use {
	switch k {
	case Function, Aggregate, Procedure, Macro:
		return called
	case Operator:
		return symbol
	case Cast, Trigger, Policy, Rule:
		return unnamed
	default:
		return anywhere
	}
}

// Object is an object of the engine's catalogue.
type Object struct {
	Kind Kind
	// Schema is the schema of the object; "catalog.schema" in an engine with catalogs; "" where the
	// engine has none.
	Schema string
	// Name is the name in the catalogue, unquoted; the symbol of an operator.
	Name string
	// Args distinguishes overloads: "integer, text". A name in a statement can mean any of them.
	Args string
}

// qualified returns the name with its schema, as exceptions write it.
func (o Object) qualified() string {
	if o.Schema == "" {
		return o.Name
	}
	return o.Schema + "." + o.Name
}

// String returns the object for messages: "view public.v".
func (o Object) String() string { return string(o.Kind) + " " + o.qualified() }

// Reason is why an object can leave the read-only transaction.
type Reason struct {
	// Text completes the sentence "…, which ", such as "opens another connection".
	Text string
	// Key and Value are the entry of the connection that allows the object, such as
	// "allow_foreign_servers" and "erp"; "" = allow_functions with a name of the path.
	Key, Value string
}

// Path is a chain of uses from an object that a statement names to one that can
// leave the transaction.
type Path struct {
	// Objects are the objects on the path: the statement names the first, the last can leave the
	// transaction.
	Objects []Object
	Reason  Reason
	// Start is the byte offset of the first object's name.
	Start int
}

// shownEnds is the number of objects that String shows at each end of a long path.
const shownEnds = 4

// String writes the path: "view public.v → function public.f → dblink_exec". For a
// longer path it writes both ends and the number of objects between them.
func (p *Path) String() string {
	var b strings.Builder
	between := len(p.Objects) - 2*shownEnds
	for i, o := range p.Objects {
		if between > 1 && i >= shownEnds && i < shownEnds+between {
			if i == shownEnds {
				b.WriteString(" → (" + strconv.Itoa(between) + " more)")
			}
			continue
		}
		if i > 0 {
			b.WriteString(" → ")
		}
		if i > 0 && i == len(p.Objects)-1 && o.Kind.use() == called {
			b.WriteString(o.qualified())
		} else {
			b.WriteString(o.String())
		}
	}
	return b.String()
}
