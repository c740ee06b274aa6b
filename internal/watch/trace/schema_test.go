package trace

import (
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

// schema is the part of Perfetto's schema that a trace may use, from its .proto files: one message or enumeration a
// paragraph, one field a line.
const schema = `
message Trace
repeated TracePacket packet = 1

message TracePacket
optional ClockSnapshot clock_snapshot = 6
optional uint64 timestamp = 8
optional uint32 trusted_packet_sequence_id = 10
optional TrackEvent track_event = 11
optional InternedData interned_data = 12
optional uint32 sequence_flags = 13
optional uint32 timestamp_clock_id = 58
optional TrackDescriptor track_descriptor = 60

message InternedData
repeated EventCategory event_categories = 1
repeated EventName event_names = 2
repeated DebugAnnotationName debug_annotation_names = 3

message EventCategory
optional uint64 iid = 1
optional string name = 2

message EventName
optional uint64 iid = 1
optional string name = 2

message DebugAnnotationName
optional uint64 iid = 1
optional string name = 2

message TrackEvent
repeated uint64 category_iids = 3
repeated DebugAnnotation debug_annotations = 4
optional Type type = 9
optional uint64 name_iid = 10
optional uint64 track_uuid = 11
repeated string categories = 22
optional string name = 23
optional int64 counter_value = 30
optional double double_counter_value = 44

enum Type
TYPE_UNSPECIFIED = 0
TYPE_SLICE_BEGIN = 1
TYPE_SLICE_END = 2
TYPE_INSTANT = 3
TYPE_COUNTER = 4

message DebugAnnotation
optional uint64 name_iid = 1
optional bool bool_value = 2
optional uint64 uint_value = 3
optional int64 int_value = 4
optional double double_value = 5
optional string string_value = 6
optional string name = 10

message TrackDescriptor
optional uint64 uuid = 1
optional string name = 2
optional ProcessDescriptor process = 3
optional ThreadDescriptor thread = 4
optional uint64 parent_uuid = 5
optional CounterDescriptor counter = 8
optional ChildTracksOrdering child_ordering = 11
optional int32 sibling_order_rank = 12

enum ChildTracksOrdering
UNKNOWN = 0
LEXICOGRAPHIC = 1
CHRONOLOGICAL = 2
EXPLICIT = 3

message ProcessDescriptor
optional int32 pid = 1
repeated string cmdline = 2
optional string process_name = 6
optional int64 start_timestamp_ns = 7

message ThreadDescriptor
optional int32 pid = 1
optional int32 tid = 2
optional string thread_name = 5

message CounterDescriptor
optional int64 unit_multiplier = 4
optional bool is_incremental = 5
optional string unit_name = 6

message ClockSnapshot
repeated Clock clocks = 1
optional BuiltinClock primary_trace_clock = 2

enum BuiltinClock
BUILTIN_CLOCK_UNKNOWN = 0
BUILTIN_CLOCK_REALTIME = 1
BUILTIN_CLOCK_MONOTONIC = 3
BUILTIN_CLOCK_BOOTTIME = 6

message Clock
optional uint32 clock_id = 1
optional uint64 timestamp = 2
optional bool is_incremental = 3
optional uint64 unit_multiplier_ns = 4
`

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

// fieldOf is the field that a line of the schema says.
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

// enumOf is the enumeration that a paragraph of the schema says.
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

// message is a message that was decoded, or one of its parts. It panics where a name is none of the schema's.
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

// decode decodes a trace, of which the schema must know every field.
func decode(t testing.TB, trace []byte) []message {
	t.Helper()
	m := dynamicpb.NewMessage(traceType)
	require.NoError(t, proto.Unmarshal(trace, m))
	allKnown(t, m)
	return message{m}.parts("packet")
}

// allKnown fails the test when a message, or a part of it, has fields that the schema does not know.
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
