package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// textDisease is DiseaseModel of Loimos.
type textDisease struct {
	Label            string      `text:"label"`
	Transmissibility float64     `text:"transmissibility"`
	Starts           []textStart `text:"starting_states"`
	States           []textState `text:"disease_states"`
}

type textStart struct {
	State int32 `text:"starting_state"`
	Lower int32 `text:"lower"`
	Upper int32 `text:"upper"`
}

type textState struct {
	Label          string        `text:"state_label"`
	Infectivity    float64       `text:"infectivity"`
	Susceptibility float64       `text:"susceptibility"`
	Incapacitation float64       `text:"incapacitation"`
	Symptomatic    bool          `text:"symptomatic"`
	Timed          *textTimed    `text:"timed_transition"`
	Exposure       *textExposure `text:"exposure_transition"`
}

type textTimed struct {
	Transitions []textTransition `text:"transitions"`
}

type textTransition struct {
	Next        int32         `text:"next_state"`
	Probability float64       `text:"with_prob"`
	Uniform     *textUniform  `text:"uniform"`
	Normal      *textNormal   `text:"normal"`
	Fixed       *textFixed    `text:"fixed"`
	Forever     *textForever  `text:"forever"`
	Discrete    *textDiscrete `text:"discrete"`
}

type textExposure struct {
	Transitions []textExposed `text:"transitions"`
}

type textExposed struct {
	Next        int32   `text:"next_state"`
	Probability float64 `text:"with_prob"` // Loimos has none, and takes the first transition
}

// ReadDisease reads a disease model.
func ReadDisease(text []byte) (*Disease, error) {
	var t textDisease
	if err := unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("disease model: %w", err)
	}
	d := &Disease{Label: t.Label, Transmissibility: t.Transmissibility}
	if err := d.fill(t); err != nil {
		return nil, fmt.Errorf("disease model: %w", err)
	}
	return d, nil
}

// statesMost is the limit of the number of states of a disease: pebbles and persons keep them in 16 bits.
const statesMost = math.MaxUint16

func (d *Disease) fill(t textDisease) error {
	switch {
	case len(t.States) == 0 || len(t.States) > statesMost:
		return fmt.Errorf("it has %d disease_states: give 1 to %d", len(t.States), statesMost)
	case len(t.Starts) == 0:
		return fmt.Errorf("it has no starting_states: say which state persons are in at first")
	case !(t.Transmissibility >= 0 && t.Transmissibility <= math.MaxFloat64):
		return fmt.Errorf("a transmissibility of %v: give a number of 0 or more", t.Transmissibility)
	}
	for _, s := range t.Starts {
		if err := t.known("starting_states", s.State); err != nil {
			return err
		}
		if len(t.Starts) > 1 && (s.Lower < 0 || s.Upper < s.Lower) {
			return fmt.Errorf("starting_states are for ages of %d to %d: give lower, and upper not below it", s.Lower,
				s.Upper)
		}
		d.Starts = append(d.Starts, Start{int(s.State), int(s.Lower), int(s.Upper)})
	}
	labels := map[string]bool{}
	for _, s := range t.States {
		if s.Label == "" || labels[s.Label] {
			return fmt.Errorf("two states are called %q, or one has no state_label: give each a name of its own",
				s.Label)
		}
		labels[s.Label] = true
		state, err := t.state(s)
		if err != nil {
			return err
		}
		d.States = append(d.States, state)
	}
	return nil
}

// known returns an error unless the model has a state.
func (t textDisease) known(where string, state int32) error {
	if state < 0 || int(state) >= len(t.States) {
		return fmt.Errorf("%s: there is no state %d: the model has states 0 to %d", where, state, len(t.States)-1)
	}
	return nil
}

func (t textDisease) state(s textState) (State, error) {
	state, where := State{Label: s.Label, Infectivity: s.Infectivity, Susceptibility: s.Susceptibility,
		Symptomatic: s.Symptomatic},
		fmt.Sprintf("state %q", s.Label)
	for _, x := range []float64{s.Infectivity, s.Susceptibility} {
		if !(x >= 0 && x <= math.MaxFloat64) {
			return state, fmt.Errorf("%s: an infectivity or susceptibility of %v: give a number of 0 or more", where, x)
		}
	}
	if s.Timed != nil && s.Exposure != nil {
		return state, fmt.Errorf("%s has a timed_transition and an exposure_transition: give one", where)
	}
	if s.Timed != nil {
		for _, x := range s.Timed.Transitions {
			if err := t.known(where, x.Next); err != nil {
				return state, err
			}
			dwell, err := textDwell{x.Uniform, x.Normal, x.Fixed, x.Forever, x.Discrete}.dwell(where)
			if err != nil {
				return state, err
			}
			state.Timed = append(state.Timed, Transition{int(x.Next), x.Probability, dwell})
		}
	}
	if s.Exposure != nil {
		for _, x := range s.Exposure.Transitions {
			if err := t.known(where, x.Next); err != nil {
				return state, err
			}
			state.Exposure = append(state.Exposure, Transition{Next: int(x.Next), Probability: x.Probability})
		}
	}
	return state, state.check(where)
}

// check checks the ways out of a state together.
func (s State) check(where string) error {
	if s.susceptible() && len(s.Exposure) == 0 {
		return fmt.Errorf("%s is susceptible, and has no exposure_transition: say where an infection leads", where)
	}
	for _, ways := range [][]Transition{s.Timed, s.Exposure} {
		if len(ways) == 0 || len(ways) == 1 && len(s.Exposure) == 1 { // a single way needs no probability
			continue
		}
		var all []float64
		for _, w := range ways {
			all = append(all, w.Probability)
		}
		if err := sumToOne(where, all); err != nil {
			return err
		}
	}
	return nil
}

// The schema of a message is a Go struct: the tag "text" of each field is its name in the file. A struct is a message,
// a pointer to one a message that may be absent, a slice a repeated field. So the structs alone define the contents of
// files, without generated code.

// unmarshal reads a textproto into a struct whose fields are tagged.
func unmarshal(text []byte, into any) error {
	value := reflect.ValueOf(into).Elem()
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("scenario.proto"), Package: proto.String("scenario"), Syntax: proto.String("proto3"),
	}
	describe(file, value.Type())
	descriptor, err := protodesc.NewFile(file, nil)
	if err != nil {
		panic("scenario: " + err.Error()) // a struct of this package is not a valid schema
	}
	message := dynamicpb.NewMessage(descriptor.Messages().ByName(protoreflect.Name(value.Type().Name())))
	if err := prototext.Unmarshal(text, message); err != nil {
		return errors.New(strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "))
	}
	fill(value, message)
	return nil
}

// describe adds the schema of a struct, and of the structs in it, to a file.
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

// fill copies a message into a struct with its schema.
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

// oneOf returns an error unless exactly one of some parts is present.
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

// Day is the length of a day in seconds.
const Day = 24 * 3600

// textTime is a time in a file: the sum of its parts, in numbers of 32 bits.
type textTime struct {
	Days    float32 `text:"days"`
	Hours   float32 `text:"hours"`
	Minutes float32 `text:"minutes"`
}

// seconds returns the time in whole seconds, rounded towards 0, as in Loimos.
func (t textTime) seconds() int32 {
	return int32(float32(t.Days*Day) + float32(t.Hours*3600) + float32(t.Minutes*60))
}

// Table describes the columns of a population's file.
type Table struct {
	Columns []Column
	Rows    int64 // 0 if it is not given
	Days    int   // of a schedule of visits; 0 if it is not given
	First   int   // first day of a schedule
}

// Column is a column of a file.
type Column struct {
	Name string
	Role Role
}

// Role is the purpose of a column.
type Role uint8

// The roles of columns. For people and locations, Self is their id; for visits, it is the location's.
const (
	Ignored Role = iota
	Self
	Other // for visits, the person's id
	Arrival
	Duration
	Number
	Kind // true or false
)

// textTable is CSVDefinition of Loimos.
type textTable struct {
	Fields  []textField `text:"fields"`
	Rows    int64       `text:"num_rows"`
	Start   *textTime   `text:"start_time"`
	Days    *textTime   `text:"duration"`
	Load    string      `text:"load_column"`
	Offsets []int64     `text:"partition_offsets"`
}

type textField struct {
	Name          string        `text:"field_name"`
	UniqueID      *textNothing  `text:"unique_id"`
	ForeignID     *textNothing  `text:"foreign_id"`
	StartTime     *textNothing  `text:"start_time"`
	Duration      *textNothing  `text:"duration"`
	Bool          *textNothing  `text:"bool"`
	Int32         *textNothing  `text:"int32"`
	Int64         *textNothing  `text:"int64"`
	Uint32        *textNothing  `text:"uint32"`
	Uint64        *textNothing  `text:"uint64"`
	Double        *textNothing  `text:"double"`
	Ignore        *textNothing  `text:"ignore"`
	String        *textNothing  `text:"string"`
	Category      *textCategory `text:"category"`
	DefaultBool   bool          `text:"default_bool"`
	DefaultInt32  int32         `text:"default_int32"`
	DefaultInt64  int64         `text:"default_int64"`
	DefaultDouble float64       `text:"default_double"`
	DefaultString string        `text:"default_string"`
}

type textNothing struct{}

type textCategory struct {
	Values []int32 `text:"values"`
}

// ReadTable reads the description of the columns of a file.
func ReadTable(text []byte) (*Table, error) {
	var t textTable
	if err := unmarshal(text, &t); err != nil {
		return nil, err
	}
	table := &Table{Rows: t.Rows}
	if t.Days != nil {
		table.Days = int(t.Days.seconds() / Day)
	}
	if t.Start != nil {
		table.First = int(t.Start.seconds() / Day)
	}
	if len(t.Fields) == 0 {
		return nil, fmt.Errorf("there are no fields: name the columns")
	}
	for _, f := range t.Fields {
		column := Column{Name: f.Name}
		for role, is := range map[Role]bool{
			Self: f.UniqueID != nil, Other: f.ForeignID != nil, Arrival: f.StartTime != nil,
			Duration: f.Duration != nil,
			Kind:     f.Bool != nil,
			Number:   f.Int32 != nil || f.Int64 != nil || f.Uint32 != nil || f.Uint64 != nil,
		} {
			if is {
				column.Role = role
			}
		}
		table.Columns = append(table.Columns, column)
	}
	return table, nil
}

// Find returns the position of the column with a role, or an error if none has it.
func (t *Table) Find(role Role, what string) (int, error) {
	for i, c := range t.Columns {
		if c.Role == role {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no field that is %s", what)
}

// Named returns the position of the column with a name, of any role; -1 if none has it.
func (t *Table) Named(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}
