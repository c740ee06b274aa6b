// Package avro is a codec for the pebbles of Active Pebbles that are not plain data: strings, slices, maps, pointers
// and structs of them travel as Avro binary records. The schema follows from the Go type.
//
//	type Visit struct {
//		URL   string `avro:"url"`
//		Links []string
//		Depth uint8
//		cache map[string]int `avro:"-"`
//	}
//
// The option target.Coded[Visit](avro.Must[Visit]()) of target.New gives this codec to a target.
//
// A codec costs a few microseconds for a small pebble and allocates, so plain data is better sent without one.
//
// # Types
//
//	bool                          boolean
//	int8 int16 int32 uint8 uint16 int
//	uint32 int int64              long
//	uint uint64 uintptr           long: the same 64 bits read as two's complement, so no value is lost
//	float32, float64              float, double; all bits are kept, those of NaN too
//	string                        string; any bytes are kept
//	[]byte, [N]byte               bytes, fixed
//	[]T, [N]T                     array
//	map[string]T                  map
//	*T                            union of null and T
//	struct                        record, named by its package path and type name
//
// Named types are carried like the type that they are made of. A field of a struct is called by its Go name, or by its
// tag: `avro:"name"`; `avro:"-"` leaves it out, and it comes back zero. An embedded struct is a field, named by its
// type. Fields called _ are left out. Other fields that are not exported are refused, for they would be lost without a
// word.
//
// # Types that change
//
// Pebbles come from the same build, and files may be older: ingest and container.Load match fields by their names,
// whatever their types are called and whatever the order. Fields that a type no longer has are left out. One that it
// has and the file does not needs a default, which is JSON as Avro's specification has it:
//
//	Weight float64 `avro:"weight,default=1"`
//	Notes  []string `avro:",default=[]"`
//	Parent *Visit `avro:",default=null"`
//
// Types may become wider as Avro allows it: int to long to float to double, string to bytes and back, T to *T.
//
// # Recursion
//
// A type may contain itself through pointers, slices and maps, as long as a struct is part of the circle. Values may
// nest 10,000 structs deep; a circle of pointers is told by that limit. Two pointers to one variable come back as
// pointers to two.
//
// Refused, by an error that names the field: interfaces, functions, channels, complex numbers, maps with other keys
// than strings, pointers to pointers, slices and arrays of what has no bytes, and [time.Time].
//
// # Nil and empty
//
// A nil slice or map and an empty one are the same bytes, and come back nil. A nil pointer comes back nil; a pointer to
// a zero value comes back as that.
//
// # Damaged bytes
//
// Decode walks all the bytes before it hands them to goavro, which would allocate for any count that they claim. What
// it allocates is at most in proportion to the length of the bytes. A number that does not fit its Go type, an array of
// another length and bytes left over are errors; damage that still makes a value of the type cannot be seen here.
package avro
