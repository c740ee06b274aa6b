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
// Named types are encoded like their underlying types. The name of a field is its Go name, or its tag: `avro:"name"`;
// `avro:"-"` leaves it out, and it is decoded as zero. An embedded struct is a field, named by its type. Fields named _
// are left out. Other unexported fields are refused, since they would be lost silently.
//
// # Types that change
//
// Pebbles come from the same build, but files may be older: ingest and container.Load match fields by their names, in
// any order, and ignore the names of types. Fields that a type no longer has are left out. A field that is missing in
// the file needs a default, in JSON as in Avro's specification:
//
//	Weight float64 `avro:"weight,default=1"`
//	Notes  []string `avro:",default=[]"`
//	Parent *Visit `avro:",default=null"`
//
// Types may become wider as Avro allows it: int to long to float to double, string to bytes and back, T to *T.
//
// # Recursion
//
// A type may contain itself through pointers, slices and maps, if a struct is part of the circle. Values may nest
// 10,000 structs deep; this limit detects a circle of pointers. Two pointers to one variable are decoded as pointers to
// two.
//
// These types are refused, by an error that names the field: interfaces, functions, channels, complex numbers, maps
// with keys other than strings, pointers to pointers, slices and arrays of elements without bytes, and [time.Time].
//
// # Nil and empty
//
// A nil slice or map and an empty one have the same bytes, and are decoded as nil. A nil pointer is decoded as nil, and
// a pointer to a zero value as such a pointer.
//
// # Damaged bytes
//
// Decode checks all the bytes before it gives them to goavro, which would allocate for any count that they claim. It
// allocates memory at most in proportion to the length of the bytes. A number that does not fit its Go type, an array
// of another length and bytes left over are errors; damage that still makes a value of the type cannot be detected.
package avro
