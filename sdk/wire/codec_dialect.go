package wire

import (
	pb "github.com/loam-data/loam/proto/connector/v1"
	"github.com/loam-data/loam/sdk/dialect"
)

func encodeDialect(d dialect.Dialect) *pb.Dialect {
	var forms map[string]string
	if d.Forms != nil {
		forms = make(map[string]string, len(d.Forms))
		for form, template := range d.Forms {
			forms[text(string(form))] = text(template)
		}
	}
	return &pb.Dialect{
		Name: text(d.Name), Product: text(d.Product), MinVersion: text(d.MinVersion), MaxVersion: text(d.MaxVersion),
		Namespace: texts(d.Namespace), DefaultSchema: text(d.DefaultSchema),
		MaxIdentifierBytes: small(d.MaxIdentifierBytes), Folding: text(string(d.Folding)),
		Identifier: encodeQuote(d.Identifier), String_: encodeQuote(d.String), Reserved: texts(d.Reserved),
		Lexis: encodeLexis(d.Lexis), Guard: encodeGuard(d.Guard),
		Limit: text(string(d.Limit)), Parameter: text(string(d.Parameter)),
		NullsAscending: text(string(d.NullsAscending)), NullsDescending: text(string(d.NullsDescending)),
		Boolean: text(string(d.Boolean)), IntegerDivision: text(string(d.IntegerDivision)),
		Zones: text(string(d.Zones)), TopLevelWith: d.TopLevelWith,
		TableFolding: text(string(d.TableFolding)), OrderedSubqueryNeedsLimit: d.OrderedSubqueryNeedsLimit,
		MaxDecimalDigits: small(d.MaxDecimalDigits), MaxTextCast: small(d.MaxTextCast),
		Types: textMap(d.Types), Forms: forms, Functions: textMap(d.Functions), Notes: texts(d.Notes),
	}
}

func decodeDialect(d *pb.Dialect) dialect.Dialect {
	var forms map[dialect.Form]string
	if d.GetForms() != nil {
		forms = make(map[dialect.Form]string, len(d.Forms))
		for form, template := range d.Forms {
			forms[dialect.Form(form)] = template
		}
	}
	return dialect.Dialect{
		Name: d.GetName(), Product: d.GetProduct(), MinVersion: d.GetMinVersion(), MaxVersion: d.GetMaxVersion(),
		Namespace: d.GetNamespace(), DefaultSchema: d.GetDefaultSchema(),
		MaxIdentifierBytes: int(d.GetMaxIdentifierBytes()), Folding: dialect.Folding(d.GetFolding()),
		Identifier: decodeQuote(d.GetIdentifier()), String: decodeQuote(d.GetString_()), Reserved: d.GetReserved(),
		Lexis: decodeLexis(d.GetLexis()), Guard: decodeGuard(d.GetGuard()),
		Limit: dialect.LimitStyle(d.GetLimit()), Parameter: dialect.ParameterStyle(d.GetParameter()),
		NullsAscending: dialect.NullPlace(d.GetNullsAscending()), NullsDescending: dialect.NullPlace(d.GetNullsDescending()),
		Boolean: dialect.BooleanStyle(d.GetBoolean()), IntegerDivision: dialect.DivisionStyle(d.GetIntegerDivision()),
		Zones: dialect.ZoneStyle(d.GetZones()), TopLevelWith: d.GetTopLevelWith(),
		TableFolding: dialect.Folding(d.GetTableFolding()), OrderedSubqueryNeedsLimit: d.GetOrderedSubqueryNeedsLimit(),
		MaxDecimalDigits: int(d.GetMaxDecimalDigits()), MaxTextCast: int(d.GetMaxTextCast()),
		Types: d.GetTypes(), Forms: forms, Functions: d.GetFunctions(), Notes: d.GetNotes(),
	}
}

func encodeQuote(q dialect.Quote) *pb.Quote {
	return &pb.Quote{Prefix: text(q.Prefix), Open: text(q.Open), Close: text(q.Close), Doubled: q.Doubled, Backslash: q.Backslash}
}

func decodeQuote(q *pb.Quote) dialect.Quote {
	return dialect.Quote{
		Prefix: q.GetPrefix(), Open: q.GetOpen(), Close: q.GetClose(),
		Doubled: q.GetDoubled(), Backslash: q.GetBackslash(),
	}
}

func encodeLexis(l dialect.Lexis) *pb.Lexis {
	return &pb.Lexis{
		Strings: convert(l.Strings, encodeQuote), Identifiers: convert(l.Identifiers, encodeQuote),
		ContinuedStrings: l.ContinuedStrings, StringTables: l.StringTables, DollarStrings: l.DollarStrings,
		LineComments: convert(l.LineComments, func(c dialect.LineComment) *pb.LineComment {
			return &pb.LineComment{Open: text(c.Open), NeedsSpace: c.NeedsSpace}
		}),
		BlockComments: convert(l.BlockComments, func(c dialect.BlockComment) *pb.BlockComment {
			return &pb.BlockComment{Open: text(c.Open), Close: text(c.Close), Nested: c.Nested}
		}),
		ExecutableComments: texts(l.ExecutableComments),
		IdentifierStart:    text(l.IdentifierStart), IdentifierPart: text(l.IdentifierPart),
		DigitIdentifiers: l.DigitIdentifiers, Spaces: text(l.Spaces),
		Parameters: texts(l.Parameters), ParameterSuffixes: l.ParameterSuffixes, EmptyStatements: l.EmptyStatements,
	}
}

func decodeLexis(l *pb.Lexis) dialect.Lexis {
	return dialect.Lexis{
		Strings: convert(l.GetStrings(), decodeQuote), Identifiers: convert(l.GetIdentifiers(), decodeQuote),
		ContinuedStrings: l.GetContinuedStrings(), StringTables: l.GetStringTables(), DollarStrings: l.GetDollarStrings(),
		LineComments: convert(l.GetLineComments(), func(c *pb.LineComment) dialect.LineComment {
			return dialect.LineComment{Open: c.GetOpen(), NeedsSpace: c.GetNeedsSpace()}
		}),
		BlockComments: convert(l.GetBlockComments(), func(c *pb.BlockComment) dialect.BlockComment {
			return dialect.BlockComment{Open: c.GetOpen(), Close: c.GetClose(), Nested: c.GetNested()}
		}),
		ExecutableComments: l.GetExecutableComments(),
		IdentifierStart:    l.GetIdentifierStart(), IdentifierPart: l.GetIdentifierPart(),
		DigitIdentifiers: l.GetDigitIdentifiers(), Spaces: l.GetSpaces(),
		Parameters: l.GetParameters(), ParameterSuffixes: l.GetParameterSuffixes(), EmptyStatements: l.GetEmptyStatements(),
	}
}

func encodeGuard(g dialect.Guard) *pb.Guard {
	rule := func(r dialect.FunctionRule) *pb.FunctionRule {
		return &pb.FunctionRule{Pattern: text(r.Pattern), Reason: text(r.Reason)}
	}
	return &pb.Guard{
		Statements: convert(g.Statements, func(s dialect.Statement) *pb.Statement {
			return &pb.Statement{Words: texts(s.Words), Kind: text(string(s.Kind)), Options: texts(s.Options), Refused: texts(s.Refused)}
		}),
		Phrases: convert(g.Phrases, func(p dialect.Phrase) *pb.Phrase {
			return &pb.Phrase{Words: texts(p.Words), Reason: text(p.Reason)}
		}),
		Functions: convert(g.Functions, rule), Relations: convert(g.Relations, rule),
		Unseparated: g.Unseparated, ExpressionWith: g.ExpressionWith,
	}
}

func decodeGuard(g *pb.Guard) dialect.Guard {
	rule := func(r *pb.FunctionRule) dialect.FunctionRule {
		return dialect.FunctionRule{Pattern: r.GetPattern(), Reason: r.GetReason()}
	}
	return dialect.Guard{
		Statements: convert(g.GetStatements(), func(s *pb.Statement) dialect.Statement {
			return dialect.Statement{
				Words: s.GetWords(), Kind: dialect.StatementKind(s.GetKind()),
				Options: s.GetOptions(), Refused: s.GetRefused(),
			}
		}),
		Phrases: convert(g.GetPhrases(), func(p *pb.Phrase) dialect.Phrase {
			return dialect.Phrase{Words: p.GetWords(), Reason: p.GetReason()}
		}),
		Functions: convert(g.GetFunctions(), rule), Relations: convert(g.GetRelations(), rule),
		Unseparated: g.GetUnseparated(), ExpressionWith: g.GetExpressionWith(),
	}
}
