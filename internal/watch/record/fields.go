package record

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// The names of what is in arrays of rank lines.
var (
	counterNames = namesOf[state.Counters]()
	secondNames  = namesOf[state.Seconds]()
)

// namesOf are the names of a structure's fields in JSON.
func namesOf[T any]() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// valuesOf are the values of a structure's fields, seconds as milliseconds. They are rounded before they are
// subtracted, so sums stay right.
func valuesOf(of any) []int64 {
	v := reflect.ValueOf(of)
	all := make([]int64, v.NumField())
	for i := range all {
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			all[i] = int64(f.Uint()) // wraps, as sums of it do
		case reflect.Int64:
			all[i] = f.Int()
		default:
			all[i] = int64(math.Round(rounded(f.Float()) * 1000))
		}
	}
	return all
}

// structure is the structure whose fields have these values.
func structure[T any](values []int64) (of T) {
	v := reflect.ValueOf(&of).Elem()
	for i := range min(len(values), v.NumField()) {
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			f.SetUint(uint64(values[i]))
		case reflect.Int64:
			f.SetInt(values[i])
		default:
			f.SetFloat(float64(values[i]) / 1000)
		}
	}
	return of
}

// added is what was added to the values before, without the zeros at its end.
func added(now, before []int64) []int64 {
	all := slices.Clone(now)
	for i := range min(len(all), len(before)) {
		all[i] -= before[i]
	}
	for len(all) > 0 && all[len(all)-1] == 0 {
		all = all[:len(all)-1]
	}
	return all
}

// places are where the names of a file are among ours; -1 for those that we don't know.
func places(names, ours []string) []int {
	all := make([]int, len(names))
	for i, name := range names {
		all[i] = slices.Index(ours, name)
	}
	return all
}

// placed are the values of a file in our order. Without places they are in it already.
func placed(values []int64, at []int, n int) []int64 {
	all := make([]int64, n)
	for i, v := range values {
		switch {
		case at == nil && i < n:
			all[i] = v
		case i < len(at) && at[i] >= 0:
			all[at[i]] = v
		}
	}
	return all
}
