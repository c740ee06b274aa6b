package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// The schema of a message is a Go struct: each field has the tag "text", its name in the file. A struct is a message,
// a pointer to one a message that may be absent, a slice what may be there several times. So there is one place that
// says what a file may hold, and no generated code.

// unmarshal reads a textproto into a struct whose fields are tagged.
func unmarshal(text []byte, into any) error {
	value := reflect.ValueOf(into).Elem()
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("scenario.proto"), Package: proto.String("scenario"), Syntax: proto.String("proto3"),
	}
	describe(file, value.Type())
	descriptor, err := protodesc.NewFile(file, nil)
	if err != nil {
		panic("scenario: " + err.Error()) // a struct of this package is no schema
	}
	message := dynamicpb.NewMessage(descriptor.Messages().ByName(protoreflect.Name(value.Type().Name())))
	if err := prototext.Unmarshal(text, message); err != nil {
		return errors.New(strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "))
	}
	fill(value, message)
	return nil
}

// describe adds the schema of a struct, and of those in it, to a file.
func describe(file *descriptorpb.FileDescriptorProto, of reflect.Type) {
	for _, m := range file.MessageType {
		if m.GetName() == of.Name() {
			return
		}
	}
	m := &descriptorpb.DescriptorProto{Name: proto.String(of.Name())}
	file.MessageType = append(file.MessageType, m)
	for i := range of.NumField() {
		field, label := of.Field(i).Type, descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
		if field.Kind() == reflect.Slice {
			field, label = field.Elem(), descriptorpb.FieldDescriptorProto_LABEL_REPEATED
		}
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		f := &descriptorpb.FieldDescriptorProto{
			Name: proto.String(of.Field(i).Tag.Get("text")), Number: proto.Int32(int32(i + 1)), Label: &label,
		}
		if field.Kind() == reflect.Struct {
			f.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
			f.TypeName = proto.String(".scenario." + field.Name())
			describe(file, field)
		} else {
			f.Type = kinds[field.Kind()].Enum()
		}
		m.Field = append(m.Field, f)
	}
}

var kinds = map[reflect.Kind]descriptorpb.FieldDescriptorProto_Type{
	reflect.Bool:    descriptorpb.FieldDescriptorProto_TYPE_BOOL,
	reflect.String:  descriptorpb.FieldDescriptorProto_TYPE_STRING,
	reflect.Int32:   descriptorpb.FieldDescriptorProto_TYPE_INT32,
	reflect.Int64:   descriptorpb.FieldDescriptorProto_TYPE_INT64,
	reflect.Float32: descriptorpb.FieldDescriptorProto_TYPE_FLOAT,
	reflect.Float64: descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
}

// fill copies a message into the struct that is its schema.
func fill(into reflect.Value, message protoreflect.Message) {
	for i := range into.NumField() {
		field := message.Descriptor().Fields().Get(i)
		if !message.Has(field) {
			continue
		}
		value := message.Get(field)
		if !field.IsList() {
			into.Field(i).Set(converted(value, into.Field(i).Type()))
			continue
		}
		for j := range value.List().Len() {
			into.Field(i).Set(reflect.Append(into.Field(i), converted(value.List().Get(j),
				into.Field(i).Type().Elem())))
		}
	}
}

func converted(value protoreflect.Value, to reflect.Type) reflect.Value {
	switch to.Kind() {
	case reflect.Struct:
		v := reflect.New(to).Elem()
		fill(v, value.Message())
		return v
	case reflect.Pointer:
		v := reflect.New(to.Elem())
		fill(v.Elem(), value.Message())
		return v
	}
	return reflect.ValueOf(value.Interface()).Convert(to)
}

// oneOf returns an error unless just one of some parts is there.
func oneOf(what string, names string, there ...bool) error {
	n := 0
	for _, is := range there {
		if is {
			n++
		}
	}
	if n == 1 {
		return nil
	}
	return fmt.Errorf("%s has %d of %s: give one", what, n, names)
}
