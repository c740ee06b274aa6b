package table

import (
	"bytes"
	"math/big"
)

// number is the number at the front of a text: 0.digits times 10 to the exponent, without leading and trailing zeros of
// the digits.
type number struct {
	taken         int // bytes of the text; 0 without a number
	negative      bool
	nan, infinite bool
	digits        []byte // 0 to 9
	exponent      int32
}

// exponentMost bounds exponents: larger ones are treated as equal to it.
const exponentMost = 1 << 30

// scan reads a number as strtold does.
func scan(text []byte) (n number) {
	at := 0
	for at < len(text) && isBlank(text[at]) {
		at++
	}
	if at < len(text) && (text[at] == '-' || text[at] == '+') {
		n.negative = text[at] == '-'
		at++
	}
	rest := text[at:]
	for _, word := range []string{"infinity", "inf", "nan"} {
		if len(rest) >= len(word) && bytes.EqualFold(rest[:len(word)], []byte(word)) {
			n.nan, n.infinite = word == "nan", word != "nan"
			n.taken = at + len(word)
			return n
		}
	}
	if size := hexadecimal(rest); size > 0 {
		x, _, _ := big.ParseFloat(string(rest[:size]), 0, hexadecimalBits, big.ToNearestEven)
		rest, at = x.Append(nil, 'e', -1), at+size
		n.decimal(rest)
		n.taken = at
		return n
	}
	if size := n.decimal(rest); size > 0 {
		n.taken = at + size
	}
	return n
}

func isBlank(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

func isDigit(b byte) bool { return b-'0' < 10 }

// decimal reads a decimal number without a sign, and returns its length in bytes.
func (n *number) decimal(text []byte) (size int) {
	point, digits := false, 0
	for ; size < len(text) && (isDigit(text[size]) || text[size] == '.' && !point); size++ {
		d := text[size] - '0'
		if text[size] == '.' {
			point = true
			continue
		}
		digits++
		switch significant := len(n.digits) > 0 || d > 0; {
		case significant && !point:
			n.exponent++
		case !significant && point:
			n.exponent--
		}
		if len(n.digits) > 0 || d > 0 {
			n.digits = append(n.digits, d)
		}
	}
	if digits == 0 {
		return 0
	}
	n.digits = bytes.TrimRight(n.digits, "\x00")
	by, more := exponent(text[size:])
	n.exponent = int32(min(max(int64(n.exponent)+by, -exponentMost), exponentMost))
	return size + more
}

// exponent reads an exponent, if present, and returns its length in bytes.
func exponent(text []byte) (n int64, size int) {
	at, negative := 1, false
	if len(text) < 2 || text[0]|0x20 != 'e' {
		return 0, 0
	}
	if text[at] == '-' || text[at] == '+' {
		negative = text[at] == '-'
		at++
	}
	for ; at < len(text) && isDigit(text[at]); at++ {
		n, size = min(10*n+int64(text[at]-'0'), 2*exponentMost), at+1
	}
	if negative {
		n = -n
	}
	return n, size
}

// hexadecimalBits is the precision of hexadecimal numbers.
const hexadecimalBits = 256

// hexadecimal returns the length in bytes of a hexadecimal number such as 0x1.8p-3, or 0 without one.
func hexadecimal(text []byte) (size int) {
	if len(text) < 3 || text[0] != '0' || text[1]|0x20 != 'x' {
		return 0
	}
	point, digits := false, 0
	for size = 2; size < len(text); size++ {
		if b := text[size]; isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'f' {
			digits++
		} else if b == '.' && !point {
			point = true
		} else {
			break
		}
	}
	if digits == 0 {
		return 0
	}
	at := size
	if at+1 < len(text) && text[at]|0x20 == 'p' {
		if at++; text[at] == '-' || text[at] == '+' {
			at++
		}
		for begin := at; at < len(text) && isDigit(text[at]) && at-begin < 6; at++ {
			size = at + 1
		}
	}
	return size
}
