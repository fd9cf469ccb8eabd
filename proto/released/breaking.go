package released

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Breaking lists what a frozen contract has and the current one has no more, or
// has otherwise: for each a line that names it. None = compatible.
//
// Names of fields and enum values count too: the manifest carries the
// description as JSON, by name.
func Breaking(frozen, current protoreflect.FileDescriptor) []string {
	c := &comparison{}
	if frozen.Package() != current.Package() {
		c.report("package %s became %s", frozen.Package(), current.Package())
	}
	c.services(frozen.Services(), current.Services())
	c.messages(frozen.Messages(), current.Messages())
	c.enums(frozen.Enums(), current.Enums())
	return c.found
}

type comparison struct{ found []string }

func (c *comparison) report(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

func (c *comparison) services(frozen, current protoreflect.ServiceDescriptors) {
	for i := range frozen.Len() {
		old := frozen.Get(i)
		now := current.ByName(old.Name())
		if now == nil {
			c.report("service %s is gone", old.Name())
			continue
		}
		for j := range old.Methods().Len() {
			c.method(old.Methods().Get(j), now.Methods().ByName(old.Methods().Get(j).Name()))
		}
	}
}

func (c *comparison) method(old, now protoreflect.MethodDescriptor) {
	switch {
	case now == nil:
		c.report("rpc %s is gone", old.Name())
	case old.Input().FullName() != now.Input().FullName():
		c.report("rpc %s takes %s instead of %s", old.Name(), now.Input().Name(), old.Input().Name())
	case old.Output().FullName() != now.Output().FullName():
		c.report("rpc %s returns %s instead of %s", old.Name(), now.Output().Name(), old.Output().Name())
	case old.IsStreamingClient() != now.IsStreamingClient() || old.IsStreamingServer() != now.IsStreamingServer():
		c.report("rpc %s streams otherwise", old.Name())
	}
}

func (c *comparison) messages(frozen, current protoreflect.MessageDescriptors) {
	for i := range frozen.Len() {
		old := frozen.Get(i)
		now := current.ByName(old.Name())
		if now == nil {
			c.report("message %s is gone", old.FullName())
			continue
		}
		c.fields(old, now)
		c.messages(old.Messages(), now.Messages())
		c.enums(old.Enums(), now.Enums())
	}
}

// fields compares by number, which is what travels; a number that was reserved
// must stay so.
func (c *comparison) fields(old, now protoreflect.MessageDescriptor) {
	for i := range old.Fields().Len() {
		was := old.Fields().Get(i)
		is := now.Fields().ByNumber(was.Number())
		switch {
		case is == nil:
			c.report("field %d of %s (%s) is gone", was.Number(), old.FullName(), was.Name())
		case was.Name() != is.Name():
			c.report("field %d of %s is called %s instead of %s", was.Number(), old.FullName(), is.Name(), was.Name())
		case shape(was) != shape(is):
			c.report("field %s of %s is %s instead of %s", was.Name(), old.FullName(), shape(is), shape(was))
		}
	}
	for i := range now.Fields().Len() {
		if is := now.Fields().Get(i); old.ReservedRanges().Has(is.Number()) || old.ReservedNames().Has(is.Name()) {
			c.report("field %s = %d of %s uses what was reserved", is.Name(), is.Number(), old.FullName())
		}
	}
}

// shape is everything about a field that its bytes depend on.
func shape(f protoreflect.FieldDescriptor) string {
	if f.IsMap() {
		return fmt.Sprintf("map<%s, %s>", shape(f.MapKey()), shape(f.MapValue()))
	}
	s := f.Kind().String()
	switch {
	case f.Message() != nil:
		s = string(f.Message().FullName())
	case f.Enum() != nil:
		s = string(f.Enum().FullName())
	}
	switch {
	case f.IsList() && f.IsPacked():
		s = "repeated packed " + s
	case f.IsList():
		s = "repeated " + s
	case f.ContainingOneof() != nil && f.ContainingOneof().IsSynthetic():
		s = "optional " + s
	case f.ContainingOneof() != nil:
		s = fmt.Sprintf("oneof %s %s", f.ContainingOneof().Name(), s)
	}
	return s
}

func (c *comparison) enums(frozen, current protoreflect.EnumDescriptors) {
	for i := range frozen.Len() {
		old := frozen.Get(i)
		now := current.ByName(old.Name())
		if now == nil {
			c.report("enum %s is gone", old.FullName())
			continue
		}
		for j := range old.Values().Len() {
			was := old.Values().Get(j)
			is := now.Values().ByNumber(was.Number())
			switch {
			case is == nil:
				c.report("value %s = %d of %s is gone", was.Name(), was.Number(), old.FullName())
			case is.Name() != was.Name():
				c.report("value %d of %s is called %s instead of %s", was.Number(), old.FullName(), is.Name(), was.Name())
			}
		}
	}
}
