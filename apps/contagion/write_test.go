package contagion

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"
)

// What is written comes back.
func TestWrite(t *testing.T) {
	curve := []Row{{0, "S", 98, 98}, {0, "E, or so", 2, 2}, {1, "S", 97, -1}}
	var b bytes.Buffer
	require.NoError(t, WriteCurve(&b, "csv", curve))
	require.Equal(t, "day,state,total_in_state,change_in_state\n0,S,98,98\n0,\"E, or so\",2,2\n1,S,97,-1\n", b.String())
	b.Reset()
	require.NoError(t, WriteCurve(&b, "json", curve))
	var back []Row
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, curve, back)
	b.Reset()
	require.NoError(t, WriteCurve(&b, "avro", curve))
	require.Equal(t, []map[string]any{
		{"day": int64(0), "state": "S", "total_in_state": int64(98), "change_in_state": int64(98)},
		{"day": int64(0), "state": "E, or so", "total_in_state": int64(2), "change_in_state": int64(2)},
		{"day": int64(1), "state": "S", "total_in_state": int64(97), "change_in_state": int64(-1)},
	}, records(t, &b))

	all := make([]Infection, blockRows+1)
	for i := range all {
		all[i] = Infection{Day: int32(i), Person: int64(i) << 40, By: -1, Location: 3, Start: 5}
	}
	b.Reset()
	require.NoError(t, WriteInfections(&b, "csv", all[:2]))
	require.Equal(t, "day,person,by,location,start\n0,0,-1,3,5\n1,1099511627776,-1,3,5\n", b.String())
	b.Reset()
	require.NoError(t, WriteInfections(&b, "avro", all))
	got := records(t, &b)
	require.Len(t, got, len(all))
	require.Equal(t, map[string]any{
		"day": int64(blockRows), "person": int64(blockRows) << 40, "by": int64(-1), "location": int64(3),
		"start": int64(5),
	}, got[blockRows])
	for _, format := range Formats {
		b.Reset()
		require.NoError(t, WriteInfections(&b, format, nil))
		require.ErrorContains(t, WriteInfections(full{}, format, all), "write infections as "+format+": ")
	}
	require.ErrorContains(t, WriteCurve(&b, "xml", curve), `no format "xml": use one of csv, json, avro`)
}

func records(t *testing.T, b *bytes.Buffer) (all []map[string]any) {
	t.Helper()
	file, err := goavro.NewOCFReader(b)
	require.NoError(t, err)
	for file.Scan() {
		record, err := file.Read()
		require.NoError(t, err)
		all = append(all, record.(map[string]any))
	}
	require.NoError(t, file.Err())
	return all
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
