package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// leastCopied is how many nodes of syntax a function has whose copy is refused: a
// function of two short statements has about half as many.
const leastCopied = 40

// TestNoVocabularyIsCopied: no two packages of the host declare the same struct, with
// the same fields and tags, the same interface, or constants of a type with the same
// texts, and no two have the same function. A copy belongs into the package that both
// can import. JSON names make a type another one: a document of a value is no copy of
// it.
func TestNoVocabularyIsCopied(t *testing.T) {
	places := map[string][]string{}
	for _, file := range goFiles(t) {
		rel, err := filepath.Rel(root(t), file)
		if err != nil {
			t.Fatal(err)
		}
		if folder := path.Dir(filepath.ToSlash(rel)); strings.HasPrefix(folder, "host") && !strings.HasSuffix(file, "_test.go") {
			for form, name := range declarations(t, file, folder) {
				places[form] = append(places[form], folder+": "+name)
			}
		}
	}
	for form, all := range places {
		folder := func(place string) string { return place[:strings.Index(place, ": ")] }
		if slices.ContainsFunc(all, func(place string) bool { return folder(place) != folder(all[0]) }) {
			t.Errorf("%s are copies: %s", strings.Join(all, ", "), form)
		}
	}
}

// declarations returns the names of the types and functions of a file by their forms,
// in which every type is named with its package.
func declarations(t *testing.T, file, folder string) map[string]string {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	f := former{folder: folder, imports: map[string]string{}}
	for _, i := range parsed.Imports {
		target, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(target)
		if i.Name != nil {
			name = i.Name.Name
		}
		f.imports[name] = target
	}
	found := map[string]string{}
	for _, decl := range parsed.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if form := function(t, decl); form != "" {
				found[form] = decl.Name.Name
			}
		case *ast.GenDecl:
			for form, name := range constants(decl) {
				found[form] = name
			}
			for _, spec := range decl.Specs {
				if declared, ok := spec.(*ast.TypeSpec); ok {
					if form := f.declared(declared.Type); form != "" {
						found[form] = declared.Name.Name
					}
				}
			}
		}
	}
	return found
}

// leastConstants is how many constants of one type are a vocabulary.
const leastConstants = 3

// constants returns the types of the constants that a declaration has, by their texts.
func constants(decl *ast.GenDecl) map[string]string {
	texts := map[string][]string{}
	for _, spec := range decl.Specs {
		declared, ok := spec.(*ast.ValueSpec)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		named, _ := declared.Type.(*ast.Ident)
		for _, value := range declared.Values {
			if text, ok := value.(*ast.BasicLit); ok && named != nil && text.Kind == token.STRING {
				texts[named.Name] = append(texts[named.Name], text.Value)
			}
		}
	}
	found := map[string]string{}
	for name, all := range texts {
		if slices.Sort(all); len(all) >= leastConstants {
			found["constants "+strings.Join(all, ", ")] = name
		}
	}
	return found
}

// function returns the body of a function as text, "" of one that is too short to
// count.
func function(t *testing.T, f *ast.FuncDecl) string {
	t.Helper()
	nodes := 0
	if f.Body != nil {
		ast.Inspect(f.Body, func(ast.Node) bool { nodes++; return true })
	}
	if nodes < leastCopied {
		return ""
	}
	var text bytes.Buffer
	if err := printer.Fprint(&text, token.NewFileSet(), f.Body); err != nil { // without positions, and so without comments
		t.Fatal(err)
	}
	return "func " + text.String()
}

// former writes types of one file with their packages.
type former struct {
	folder  string
	imports map[string]string // by the name in the file
}

// declared is the form of a struct of two fields or more and of an interface with a
// method, "" of all other types.
func (f former) declared(e ast.Expr) string {
	kind, least := "interface", 1
	var fields []*ast.Field
	switch e := e.(type) {
	case *ast.InterfaceType:
		fields = e.Methods.List
	case *ast.StructType:
		kind, least, fields = "struct", 2, e.Fields.List
	}
	var members []string
	for _, field := range fields {
		text := f.text(field.Type)
		if field.Tag != nil {
			text += " " + field.Tag.Value
		}
		if field.Names == nil {
			members = append(members, text)
		}
		for _, name := range field.Names {
			members = append(members, name.Name+" "+text)
		}
	}
	if len(members) < least {
		return ""
	}
	slices.Sort(members)
	return kind + " " + strings.Join(members, "; ")
}

func (f former) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if predeclared[e.Name] {
			return e.Name
		}
		return module + "/" + f.folder + "." + e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return f.imports[x.Name] + "." + e.Sel.Name
		}
	case *ast.StarExpr:
		return "*" + f.text(e.X)
	case *ast.ArrayType:
		return "[]" + f.text(e.Elt)
	case *ast.MapType:
		return "map[" + f.text(e.Key) + "]" + f.text(e.Value)
	case *ast.ChanType:
		return "chan " + f.text(e.Value)
	case *ast.Ellipsis:
		return "..." + f.text(e.Elt)
	case *ast.IndexExpr:
		return f.text(e.X) + "[" + f.text(e.Index) + "]"
	case *ast.FuncType:
		return "func" + f.list(e.Params) + f.list(e.Results)
	}
	return fmt.Sprintf("%T", e)
}

// list writes parameters without their names.
func (f former) list(of *ast.FieldList) string {
	var all []string
	if of != nil {
		for _, field := range of.List {
			all = append(all, slices.Repeat([]string{f.text(field.Type)}, max(1, len(field.Names)))...)
		}
	}
	return "(" + strings.Join(all, ", ") + ")"
}

var predeclared = map[string]bool{
	"any": true, "bool": true, "byte": true, "error": true, "float32": true, "float64": true, "int": true, "int8": true, "int16": true, "int32": true,
	"int64": true, "rune": true, "string": true, "uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true,
}
