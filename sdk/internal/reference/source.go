package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// parse reads a Go file below sdk.
func (p *page) parse(path ...string) (*ast.File, error) {
	return parser.ParseFile(p.files, filepath.Join(append([]string{p.root, "sdk"}, path...)...), nil, parser.ParseComments)
}

// constant is one of a group of constants.
type constant struct{ name, value, about string }

// constants returns the string constants of a type. One without a comment of its own has
// that of the one before it, as far as no blank line is between them.
func (p *page) constants(file *ast.File, typ string) (all []constant) {
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		about, end := "", 0
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			if named, ok := spec.Type.(*ast.Ident); !ok || named.Name != typ {
				continue
			}
			if spec.Doc != nil {
				about = spec.Doc.Text()
			} else if p.files.Position(spec.Pos()).Line > end+1 {
				about = ""
			}
			end = p.files.Position(spec.End()).Line
			literal, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				continue
			}
			all = append(all, constant{spec.Names[0].Name, strings.Trim(literal.Value, `"`), strings.TrimSpace(about + " " + spec.Comment.Text())})
		}
	}
	return all
}

func (p *page) errors() error {
	kinds, err := p.parse("error.go")
	if err != nil {
		return err
	}
	table, err := p.parse("wire", "error.go")
	if err != nil {
		return err
	}
	codes := map[string]string{}
	ast.Inspect(table, func(n ast.Node) bool {
		if row, ok := n.(*ast.CompositeLit); ok && len(row.Elts) == 3 {
			kind, isKind := row.Elts[0].(*ast.SelectorExpr)
			status, isStatus := row.Elts[2].(*ast.SelectorExpr)
			if isKind && isStatus {
				codes[kind.Sel.Name] = status.Sel.Name
			}
		}
		return true
	})
	p.line("", "## Errors", "", "An error is a gRPC status with one ErrorInfo, below 4 KiB in all. The host reads the kind; the code is for other readers.", "", "| kind | gRPC code | when |", "|---|---|---|")
	for _, k := range p.constants(kinds, "Kind") {
		if codes[k.name] == "" {
			return fmt.Errorf("the kind %s has no gRPC code", k.value)
		}
		p.line(fmt.Sprintf("| `%s` | %s | %s |", k.value, codes[k.name], cell(k.about)))
	}
	return nil
}

func (p *page) capabilities() error {
	file, err := p.parse("connector.go")
	if err != nil {
		return err
	}
	p.line("", "## Capabilities", "", "What a connector does not declare, Loam does without. A name in the right column is the Go interface to implement.", "", "| capability | what |", "|---|---|")
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Capabilities" {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range f.Names {
				p.line(fmt.Sprintf("| `%s` | %s |", name.Name, cell(f.Doc.Text()+" "+f.Comment.Text())))
			}
		}
		return false
	})
	return nil
}

// shown are the dialects of the examples.
var shown = []string{"postgres", "mysql", "sqlite", "bigquery", "snowflake"}

func (p *page) forms() error {
	file, err := p.parse("dialect", "forms.go")
	if err != nil {
		return err
	}
	var dialects []dialect.Dialect
	for _, name := range shown {
		text, err := os.ReadFile(filepath.Join(p.root, "sdk", "dialect", "testdata", name+".json"))
		if err != nil {
			return err
		}
		var all []dialect.Dialect
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
		dialects = append(dialects, all[len(all)-1])
	}
	required := map[dialect.Form]bool{}
	for _, f := range dialect.Required() {
		required[f] = true
	}
	p.line("", "## Forms", "", "The templates under `Forms` of a dialect. `loam connector check` runs each on the engine. A form that the engine cannot keep is left out,",
		"but for those marked *required*. \"—\" in an example: that dialect does without.")
	form := func(f dialect.Form, about string) {
		mark := ""
		if required[f] {
			mark = ", *required*"
		}
		p.line("", "### `"+string(f)+"`"+mark, "", cell(about), "")
		for i := range dialects {
			text, ok := dialects[i].Forms[f]
			p.line(fmt.Sprintf("- %s: %s", shown[i], map[bool]string{true: code(strings.Join(strings.Fields(cmp.Or(text, " ")), " ")), false: "—"}[ok]))
		}
	}
	functions := map[string]string{}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			functions[f.Name.Name] = strings.TrimPrefix(f.Doc.Text(), f.Name.Name+" ")
		}
	}
	for _, f := range []struct {
		form dialect.Form
		of   string
	}{{dialect.Trunc(dialect.Month), "Trunc"}, {dialect.Add(dialect.Month), "Add"}, {dialect.Spine(dialect.Month), "Spine"}, {dialect.Literal("timestamp"), "Literal"}, {dialect.CastTo("date"), "CastTo"}, {dialect.SumOf("int64"), "SumOf"}} {
		form(f.form, "One for each grain or type, here for one of them: "+functions[f.of])
	}
	for _, c := range p.constants(file, "Form") {
		form(dialect.Form(c.value), c.about)
	}
	return nil
}

func (p *page) functions() error {
	file, err := p.parse("dialect", "forms.go")
	if err != nil {
		return err
	}
	p.line("", "## Functions", "")
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "PortableFunctions" {
			_, promise, _ := strings.Cut(f.Doc.Text(), "\n\n")
			p.line("`"+strings.Join(dialect.PortableFunctions(), "`, `")+"`", "", strings.TrimSpace(promise))
		}
	}
	names := make([]string, 0, len(sdk.Types()))
	for _, t := range sdk.Types() {
		names = append(names, "`"+t.String()+"`")
	}
	p.line("", "Types: "+strings.Join(names, ", ")+".")
	return nil
}

var jsonName = regexp.MustCompile(`json:"([^",]+)`)

func (p *page) manifest() error {
	file, err := p.parse("wire", "manifest.go")
	if err != nil {
		return err
	}
	p.line("", "## connector.json", "", "Unknown keys are ignored. `describe` is the DescribeResponse as protobuf's JSON.")
	for _, named := range []struct{ of, heading string }{{"manifestFile", "The file"}, {"protocolRange", "`protocol`"}, {"Target", "`targets`, by platform such as `linux_amd64`"}} {
		p.line("", "**"+named.heading+"**", "", "| key | type | what |", "|---|---|---|")
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != named.of {
				return true
			}
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				if f.Tag == nil {
					continue
				}
				p.line(fmt.Sprintf("| `%s` | %s | %s |", jsonName.FindStringSubmatch(f.Tag.Value)[1], typeOf(f.Type), cell(f.Doc.Text()+" "+f.Comment.Text())))
			}
			return false
		})
	}
	return nil
}

func typeOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if e.IsExported() || e.Name == "protocolRange" {
			return "object"
		}
		return e.Name
	case *ast.ArrayType:
		return "list of " + typeOf(e.Elt)
	case *ast.MapType:
		return "map to " + typeOf(e.Value)
	case *ast.StarExpr:
		return typeOf(e.X)
	}
	return "object"
}
