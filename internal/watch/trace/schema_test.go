package trace

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// schema is the part of Perfetto's schema that a trace may use, from its .proto files: one message or enumeration per
// paragraph, one field per line.
//
//go:embed testdata/schema.txt
var schema string

// scalars are the types of fields that are neither messages nor enumerations.
var scalars = map[string]descriptorpb.FieldDescriptorProto_Type{
	"bool":   descriptorpb.FieldDescriptorProto_TYPE_BOOL,
	"double": descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
	"int32":  descriptorpb.FieldDescriptorProto_TYPE_INT32,
	"int64":  descriptorpb.FieldDescriptorProto_TYPE_INT64,
	"string": descriptorpb.FieldDescriptorProto_TYPE_STRING,
	"uint32": descriptorpb.FieldDescriptorProto_TYPE_UINT32,
	"uint64": descriptorpb.FieldDescriptorProto_TYPE_UINT64,
}

// fieldOf returns the field of a line of the schema.
func fieldOf(words []string) *descriptorpb.FieldDescriptorProto {
	number, err := strconv.Atoi(words[4])
	if err != nil {
		panic(err)
	}
	label := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	if words[0] == "repeated" {
		label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	}
	f := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(words[2]), Number: proto.Int32(int32(number)), Label: &label,
	}
	if scalar, ok := scalars[words[1]]; ok {
		f.Type = &scalar
	} else {
		f.TypeName = proto.String(".perfetto.protos." + words[1])
	}
	return f
}

// enumOf returns the enumeration of a paragraph of the schema.
func enumOf(name string, lines []string) *descriptorpb.EnumDescriptorProto {
	e := &descriptorpb.EnumDescriptorProto{Name: proto.String(name)}
	for _, line := range lines {
		words := strings.Fields(line)
		number, err := strconv.Atoi(words[2])
		if err != nil {
			panic(err)
		}
		e.Value = append(e.Value, &descriptorpb.EnumValueDescriptorProto{
			Name: proto.String(name + "_" + words[0]), Number: proto.Int32(int32(number)),
		})
	}
	return e
}

// traceType is Perfetto's message Trace.
var traceType = func() protoreflect.MessageDescriptor {
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("trace.proto"), Package: proto.String("perfetto.protos"), Syntax: proto.String("proto2"),
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(schema), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		kind, name, _ := strings.Cut(lines[0], " ")
		if kind == "enum" {
			file.EnumType = append(file.EnumType, enumOf(name, lines[1:]))
			continue
		}
		m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
		for _, line := range lines[1:] {
			m.Field = append(m.Field, fieldOf(strings.Fields(line)))
		}
		file.MessageType = append(file.MessageType, m)
	}
	made, err := protodesc.NewFile(file, nil)
	if err != nil {
		panic(err)
	}
	return made.Messages().ByName("Trace")
}()

// message is a decoded message, or one of its parts. It panics for names outside the schema.
type message struct{ protoreflect.Message }

func (m message) field(name string) protoreflect.FieldDescriptor {
	f := m.Descriptor().Fields().ByName(protoreflect.Name(name))
	if f == nil {
		panic("no field " + name)
	}
	return f
}

func (m message) has(name string) bool       { return m.Has(m.field(name)) }
func (m message) uint(name string) uint64    { return m.Get(m.field(name)).Uint() }
func (m message) int(name string) int64      { return m.Get(m.field(name)).Int() }
func (m message) text(name string) string    { return m.Get(m.field(name)).String() }
func (m message) double(name string) float64 { return m.Get(m.field(name)).Float() }
func (m message) part(name string) message   { return message{m.Get(m.field(name)).Message()} }

func (m message) enum(name string) string {
	f := m.field(name)
	return string(f.Enum().Values().ByNumber(m.Get(f).Enum()).Name())
}

func (m message) parts(name string) (all []message) {
	list := m.Get(m.field(name)).List()
	for i := range list.Len() {
		all = append(all, message{list.Get(i).Message()})
	}
	return all
}

// decode decodes a trace. The schema must contain every field.
func decode(t testing.TB, trace []byte) []message {
	t.Helper()
	m := dynamicpb.NewMessage(traceType)
	require.NoError(t, proto.Unmarshal(trace, m))
	allKnown(t, m)
	return message{m}.parts("packet")
}

// allKnown fails the test if a message, or a part of it, has fields outside the schema.
func allKnown(t testing.TB, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		require.Fail(t, "unknown fields of "+string(m.Descriptor().Name()))
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Kind() != protoreflect.MessageKind:
		case f.IsList():
			for i := range v.List().Len() {
				allKnown(t, v.List().Get(i).Message())
			}
		default:
			allKnown(t, v.Message())
		}
		return true
	})
}
