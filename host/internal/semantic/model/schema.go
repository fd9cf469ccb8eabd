package model

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// Schemas returns the published JSON Schemas by file name: of a source, of
// metrics, of a file of tables and of a query.
func Schemas() map[string][]byte {
	all := map[string][]byte{}
	entries, err := schemaFiles.ReadDir("schema")
	for _, e := range entries {
		var text []byte
		if err == nil {
			text, err = fs.ReadFile(schemaFiles, "schema/"+e.Name())
		}
		all[e.Name()] = text
	}
	if err != nil {
		panic(fmt.Sprintf("the embedded schemas cannot be read: %v", err))
	}
	return all
}

const (
	sourceSchema  = "semantic-source-v1.json"
	metricsSchema = "semantic-metrics-v1.json"
	tablesSchema  = "semantic-tables-v1.json"
)

// schema is the part of JSON Schema that the files use, so that one
// declaration gives the checks, their messages and what editors show. A test
// compares it with a complete validator.
type schema struct {
	types      kinds
	properties map[string]*schema
	names      []string // of the properties, sorted
	required   []string
	closed     bool    // no other properties
	additional *schema // of other properties
	items      *schema
	enum       []string
	constant   string
	hasConst   bool
	minLength  int
	maxLength  int // 0 = no limit
	minimum    *float64
	maximum    *float64
	pattern    *regexp.Regexp
	// keys are the properties that may be there, nil = any.
	keys []string
	not  *schema
	any  []*schema
	all  []*schema
	// condition chooses then or otherwise.
	condition, then, otherwise *schema
	ref                        *schema
}

// kinds is a set of JSON types.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindInteger
	kindNumber
	kindString
	kindArray
	kindObject
)

var kindByName = map[string]kinds{
	"null": kindNull, "boolean": kindBoolean, "integer": kindInteger, "number": kindNumber | kindInteger,
	"string": kindString, "array": kindArray, "object": kindObject,
}

// schemas compiles the embedded schemas, once.
var schemas = sync.OnceValue(func() map[string]*schema {
	c := compiler{documents: map[string]map[string]any{}, done: map[string]*schema{}}
	for name, text := range Schemas() {
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			panic(fmt.Sprintf("the schema %s is no JSON: %v", name, err))
		}
		c.documents[name] = document
	}
	all := map[string]*schema{}
	for name := range c.documents {
		all[name] = c.at(name + "#")
	}
	return all
})

type compiler struct {
	documents map[string]map[string]any
	done      map[string]*schema // by address
}

// at compiles the schema at "file#/pointer".
func (c *compiler) at(address string) *schema {
	if s, ok := c.done[address]; ok {
		return s
	}
	file, pointer, _ := strings.Cut(address, "#")
	var node any = c.documents[file]
	for _, key := range strings.Split(pointer, "/")[1:] {
		object, _ := node.(map[string]any)
		node = object[key]
	}
	s := &schema{}
	c.done[address] = s // before its parts, which may refer back to it
	c.fill(s, file, node)
	return s
}

func (c *compiler) compile(file string, node any) *schema {
	if node == nil {
		return nil
	}
	s := &schema{}
	c.fill(s, file, node)
	return s
}

func (c *compiler) fill(s *schema, file string, node any) {
	object, ok := node.(map[string]any)
	if !ok {
		panic(fmt.Sprintf("the schema %s has %v where a schema should be", file, node))
	}
	for keyword, value := range object {
		c.keyword(s, file, keyword, value)
	}
	s.names = slices.Sorted(maps.Keys(s.properties))
}

func (c *compiler) keyword(s *schema, file, keyword string, value any) {
	switch keyword {
	case "$ref":
		target, pointer, _ := strings.Cut(value.(string), "#")
		if target = path.Base(target); target == "." {
			target = file
		}
		s.ref = c.at(target + "#" + pointer)
	case "type":
		for _, name := range texts(value) {
			s.types |= kindByName[name]
		}
	case "properties":
		s.properties = map[string]*schema{}
		for name, property := range value.(map[string]any) {
			s.properties[name] = c.compile(file, property)
		}
	case "additionalProperties":
		if value == false {
			s.closed = true
		} else {
			s.additional = c.compile(file, value)
		}
	case "propertyNames":
		s.keys = texts(value.(map[string]any)["enum"])
	case "items":
		s.items = c.compile(file, value)
	case "not":
		s.not = c.compile(file, value)
	case "if":
		s.condition = c.compile(file, value)
	case "then":
		s.then = c.compile(file, value)
	case "else":
		s.otherwise = c.compile(file, value)
	case "anyOf":
		s.any = c.list(file, value)
	case "allOf":
		s.all = c.list(file, value)
	default:
		s.scalar(file, keyword, value)
	}
}

func (s *schema) scalar(file, keyword string, value any) {
	switch keyword {
	case "required":
		s.required = texts(value)
	case "enum":
		s.enum = texts(value)
	case "const":
		s.constant, s.hasConst = fmt.Sprint(value), true
	case "pattern":
		s.pattern = regexp.MustCompile(value.(string))
	case "minLength":
		s.minLength = int(value.(float64))
	case "maxLength":
		s.maxLength = int(value.(float64))
	case "minimum":
		n := value.(float64)
		s.minimum = &n
	case "maximum":
		n := value.(float64)
		s.maximum = &n
	case "$schema", "$id", "$defs", "title", "description":
	default:
		panic(fmt.Sprintf("the schema %s uses the keyword %s, which is not read", file, keyword))
	}
}

func (c *compiler) list(file string, value any) (all []*schema) {
	for _, node := range value.([]any) {
		all = append(all, c.compile(file, node))
	}
	return all
}

// texts is a JSON string or list of strings.
func texts(value any) []string {
	if one, ok := value.(string); ok {
		return []string{one}
	}
	var all []string
	for _, v := range value.([]any) {
		all = append(all, v.(string))
	}
	return all
}
