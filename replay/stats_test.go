package replay

import (
	"reflect"
	"testing"
)

// Add adds every count.
func TestStatsAdd(t *testing.T) {
	var s Stats
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(int64(i + 1))
	}
	s.Add(s)
	for i := range v.NumField() {
		if v.Field(i).Int() != int64(2*(i+1)) {
			t.Errorf("%s is %d, want %d", v.Type().Field(i).Name, v.Field(i).Int(), 2*(i+1))
		}
	}
}
