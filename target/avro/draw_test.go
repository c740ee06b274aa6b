package avro_test

import (
	"reflect"

	"pgregory.net/rapid"
)

// draw fills v with any value of its type, as decoded: empty slices and maps are nil, fields that do not travel are
// zero.
func draw(t *rapid.T, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int") >> (64 - v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(rapid.Uint64().Draw(t, "uint") >> (64 - v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat(float64(rapid.Float32().Draw(t, "float")))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float"))
	case reflect.String:
		v.SetString(string(rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "string")))
	case reflect.Struct:
		drawFields(t, v, depth)
	default:
		drawMany(t, v, depth)
	}
}

func drawFields(t *rapid.T, v reflect.Value, depth int) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		embedded := f.Anonymous && f.Type.Kind() == reflect.Struct
		if f.Tag.Get("avro") != "-" && (f.IsExported() || embedded) {
			draw(t, v.Field(i), depth+1)
		}
	}
}

func drawMany(t *rapid.T, v reflect.Value, depth int) {
	if v.Kind() == reflect.Array {
		for i := range v.Len() {
			draw(t, v.Index(i), depth)
		}
		return
	}
	count := 0
	if depth < 5 {
		count = rapid.IntRange(0, 3).Draw(t, "count")
	}
	if count == 0 {
		return
	}
	switch elem := v.Type().Elem(); v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(elem).Convert(v.Type()))
		draw(t, v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), count, count))
		for i := range count {
			draw(t, v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range count {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(elem).Elem()
			draw(t, key, depth+1)
			draw(t, value, depth+1)
			v.SetMapIndex(key, value)
		}
	}
}
